func.func @forward(%x: tensor<1x8x1024x64xbf16>, %x_1: tensor<1x8x1024x64xbf16>, %x_2: tensor<1x8x1024x64xbf16>) -> (tensor<1x8x1024x64xbf16>) {
  %0 = "ttir.arange"() {arange_dimension = 0 : i64, end = 1024 : si64, start = 0 : si64, step = 1 : si64} : () -> tensor<1024xi64>
  %1 = "ttir.unsqueeze"(%0) {dim = 1 : si32} : (tensor<1024xi64>) -> tensor<1024x1xi64>
  %2 = "ttir.ge"(%1, %0) : (tensor<1024x1xi64>, tensor<1024xi64>) -> tensor<1024x1024xi1>
  %3 = "ttir.reshape"(%2) {shape = [1 : i32, 1 : i32, 1024 : i32, 1024 : i32]} : (tensor<1024x1024xi1>) -> tensor<1x1x1024x1024xi1>
  %4 = "ttir.full"() {fill_value = 0.000000e+00 : f32, shape = array<i32: 1, 1, 1, 1>} : () -> tensor<1x1x1x1xbf16>
  %5 = "ttir.full"() {fill_value = 0xFF800000 : f32, shape = array<i32: 1, 1, 1, 1>} : () -> tensor<1x1x1x1xbf16>
  %6 = "ttir.where"(%3, %4, %5) : (tensor<1x1x1024x1024xi1>, tensor<1x1x1x1xbf16>, tensor<1x1x1x1xbf16>) -> tensor<1x1x1024x1024xbf16>
  %7 = "ttir.scaled_dot_product_attention"(%x, %x_1, %x_2, %6) {is_causal = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0>} : (tensor<1x8x1024x64xbf16>, tensor<1x8x1024x64xbf16>, tensor<1x8x1024x64xbf16>, tensor<1x1x1024x1024xbf16>) -> tensor<1x8x1024x64xbf16>
  return %7 : tensor<1x8x1024x64xbf16>
}
