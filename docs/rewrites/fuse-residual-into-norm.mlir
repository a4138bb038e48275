func.func @forward(%x: tensor<1024x1024xbf16>, %x_1: tensor<1024x1024xbf16>, %w: tensor<1024x1024xbf16> {tt.argument_type = #tt.argument_type<"parameter">, ttir.name = "w"}, %g: tensor<1024xbf16> {tt.argument_type = #tt.argument_type<"parameter">, ttir.name = "g"}) -> (tensor<1024x1024xbf16>) {
  %0 = "ttir.matmul"(%x, %w) : (tensor<1024x1024xbf16>, tensor<1024x1024xbf16>) -> tensor<1024x1024xbf16>
  %1 = "ttir.add"(%0, %x_1) : (tensor<1024x1024xbf16>, tensor<1024x1024xbf16>) -> tensor<1024x1024xbf16>
  %2 = "ttir.rms_norm"(%1, %g) {epsilon = 7.812500e-03 : f32, normalized_shape = array<i64: 1024>, operandSegmentSizes = array<i32: 1, 1, 0, 0>} : (tensor<1024x1024xbf16>, tensor<1024xbf16>) -> tensor<1024x1024xbf16>
  return %2 : tensor<1024x1024xbf16>
}
