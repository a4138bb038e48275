func.func @forward(%x: tensor<64x8xi64>, %w: tensor<1000x64xbf16> {tt.argument_type = #tt.argument_type<"parameter">, ttir.name = "w"}) -> (tensor<64x8x64xbf16>) {
  %0 = "ttir.full"() {fill_value = 2 : i32, shape = array<i32: 1, 1>} : () -> tensor<1x1xi64>
  %1 = "ttir.multiply"(%x, %0) : (tensor<64x8xi64>, tensor<1x1xi64>) -> tensor<64x8xi64>
  %2 = "ttir.full"() {fill_value = 1 : i32, shape = array<i32: 1, 1>} : () -> tensor<1x1xi64>
  %3 = "ttir.add"(%1, %2) : (tensor<64x8xi64>, tensor<1x1xi64>) -> tensor<64x8xi64>
  %4 = "ttir.full"() {fill_value = 900 : i32, shape = array<i32: 1, 1>} : () -> tensor<1x1xi64>
  %5 = "ttir.minimum"(%3, %4) : (tensor<64x8xi64>, tensor<1x1xi64>) -> tensor<64x8xi64>
  %6 = "ttir.embedding"(%5, %w) : (tensor<64x8xi64>, tensor<1000x64xbf16>) -> tensor<64x8x64xbf16>
  return %6 : tensor<64x8x64xbf16>
}
