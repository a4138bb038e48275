func.func @forward(%x: tensor<64xi64>, %x_1: tensor<64xi64>, %x_2: tensor<16xi64>, %x_3: tensor<16xi64>, %v: tensor<1000x64xbf16> {tt.argument_type = #tt.argument_type<"parameter">, ttir.name = "v"}, %w: tensor<1000x64xbf16> {tt.argument_type = #tt.argument_type<"parameter">, ttir.name = "w"}) -> (tensor<16x64xbf16> {ttir.name = "output.0"}, tensor<16x64xbf16> {ttir.name = "output.1"}) {
  %0 = "ttir.embedding_bag"(%x, %v, %x_2) {operandSegmentSizes = array<i32: 1, 1, 1, 0>} : (tensor<64xi64>, tensor<1000x64xbf16>, tensor<16xi64>) -> tensor<16x64xbf16>
  %1 = "ttir.embedding_bag"(%x_1, %w, %x_3) {operandSegmentSizes = array<i32: 1, 1, 1, 0>} : (tensor<64xi64>, tensor<1000x64xbf16>, tensor<16xi64>) -> tensor<16x64xbf16>
  return %0, %1 : tensor<16x64xbf16>, tensor<16x64xbf16>
}
