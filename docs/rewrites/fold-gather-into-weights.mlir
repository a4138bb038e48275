func.func @forward(%x: tensor<64x6x32xbf16>, %w: tensor<96x18xbf16> {tt.argument_type = #tt.argument_type<"parameter">, ttir.name = "w"}) -> (tensor<64x96xbf16>) {
  %0 = "ttir.constant"() {value = dense<[0, 2, 4]> : tensor<3xi64>} : () -> tensor<3xi64>
  %1 = "ttir.transpose"(%x) {dim0 = 1 : si32, dim1 = 2 : si32} : (tensor<64x6x32xbf16>) -> tensor<64x32x6xbf16>
  %2 = "ttir.matmul"(%x, %1) : (tensor<64x6x32xbf16>, tensor<64x32x6xbf16>) -> tensor<64x6x6xbf16>
  %3 = "ttir.reshape"(%0) {shape = [1 : i32, 3 : i32]} : (tensor<3xi64>) -> tensor<1x3xi64>
  %4 = "ttir.broadcast"(%3) {broadcast_dimensions = array<i64: 384, 1>} : (tensor<1x3xi64>) -> tensor<384x3xi64>
  %5 = "ttir.reshape"(%2) {shape = [384 : i32, 6 : i32]} : (tensor<64x6x6xbf16>) -> tensor<384x6xbf16>
  %6 = "ttir.gather"(%5, %4) {dim = 1 : i32} : (tensor<384x6xbf16>, tensor<384x3xi64>) -> tensor<384x3xbf16>
  %7 = "ttir.reshape"(%6) {shape = [64 : i32, 6 : i32, 3 : i32]} : (tensor<384x3xbf16>) -> tensor<64x6x3xbf16>
  %8 = "ttir.reshape"(%7) {shape = [64 : i32, 18 : i32]} : (tensor<64x6x3xbf16>) -> tensor<64x18xbf16>
  %9 = "ttir.matmul"(%8, %w) {transpose_b = true} : (tensor<64x18xbf16>, tensor<96x18xbf16>) -> tensor<64x96xbf16>
  return %9 : tensor<64x96xbf16>
}
