func.func @forward(%x: tensor<8x32x1x128xbf16>, %x_1: tensor<1xi64>, %held_k: tensor<8x8x1024x128xbf16> {tt.argument_type = #tt.argument_type<"parameter">, ttir.name = "held_k"}, %held_v: tensor<8x8x1024x128xbf16> {tt.argument_type = #tt.argument_type<"parameter">, ttir.name = "held_v"}) -> (tensor<8x32x1x128xbf16>) {
  %0 = "ttir.arange"() {arange_dimension = 0 : i64, end = 1024 : si64, start = 0 : si64, step = 1 : si64} : () -> tensor<1024xi64>
  %1 = "ttir.le"(%0, %x_1) : (tensor<1024xi64>, tensor<1xi64>) -> tensor<1024xi1>
  %2 = "ttir.unsqueeze"(%1) {dim = 0 : si32} : (tensor<1024xi1>) -> tensor<1x1024xi1>
  %3 = "ttir.unsqueeze"(%2) {dim = 1 : si32} : (tensor<1x1024xi1>) -> tensor<1x1x1024xi1>
  %4 = "ttir.unsqueeze"(%3) {dim = 2 : si32} : (tensor<1x1x1024xi1>) -> tensor<1x1x1x1024xi1>
  %5 = "ttir.full"() {fill_value = 0.000000e+00 : f32, shape = array<i32: 1, 1, 1, 1>} : () -> tensor<1x1x1x1xbf16>
  %6 = "ttir.full"() {fill_value = 0xFF800000 : f32, shape = array<i32: 1, 1, 1, 1>} : () -> tensor<1x1x1x1xbf16>
  %7 = "ttir.where"(%4, %5, %6) : (tensor<1x1x1x1024xi1>, tensor<1x1x1x1xbf16>, tensor<1x1x1x1xbf16>) -> tensor<1x1x1x1024xbf16>
  %8 = "ttir.scaled_dot_product_attention"(%x, %held_k, %held_v, %7) {is_causal = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0>} : (tensor<8x32x1x128xbf16>, tensor<8x8x1024x128xbf16>, tensor<8x8x1024x128xbf16>, tensor<1x1x1x1024xbf16>) -> tensor<8x32x1x128xbf16>
  return %8 : tensor<8x32x1x128xbf16>
}
