// 512 rows of a table of 1,000,000 x 64 in Tensor-Train form.
#train = #tt.tensor_train<{rows = 1000000, columns = 64, row_factors = [100, 100, 100], column_factors = [2, 1, 32],
                           ranks = [1, 32, 32, 1], element = bf16}>
func.func @lookup(
    %ids: tensor<512xui32> {tt.argument_type = #tt.argument_type<"input">, ttir.name = "ids"},
    %core0: tensor<100x1x64xbf16> {tt.argument_type = #tt.argument_type<"parameter">, ttir.name = "users.core0"},
    %core1: tensor<100x32x32xbf16> {tt.argument_type = #tt.argument_type<"parameter">, ttir.name = "users.core1"},
    %core2: tensor<100x32x32xbf16> {tt.argument_type = #tt.argument_type<"parameter">, ttir.name = "users.core2"}
) -> tensor<512x64xbf16> {
  %rows = "ttir.tensor_train_embedding"(%ids, %core0, %core1, %core2) {train = #train}
      : (tensor<512xui32>, tensor<100x1x64xbf16>, tensor<100x32x32xbf16>, tensor<100x32x32xbf16>) -> tensor<512x64xbf16>
  return %rows : tensor<512x64xbf16>
}
