func.func @forward(%x: tensor<8x128xbf16>) -> (tensor<1x1x8x128xbf16>) {
  %0 = "ttir.exp"(%x) : (tensor<8x128xbf16>) -> tensor<8x128xbf16>
  %1 = "ttir.unsqueeze"(%0) {dim = 0 : si32} : (tensor<8x128xbf16>) -> tensor<1x8x128xbf16>
  %2 = "ttir.unsqueeze"(%1) {dim = 1 : si32} : (tensor<1x8x128xbf16>) -> tensor<1x1x8x128xbf16>
  %3 = "ttir.permute"(%2) {permutation = array<i64: 0, 2, 3, 1>} : (tensor<1x1x8x128xbf16>) -> tensor<1x8x128x1xbf16>
  %4 = "ttir.upsample2d"(%3) {scale_factor = array<i32: 1, 1>} : (tensor<1x8x128x1xbf16>) -> tensor<1x8x128x1xbf16>
  %5 = "ttir.permute"(%4) {permutation = array<i64: 0, 3, 1, 2>} : (tensor<1x8x128x1xbf16>) -> tensor<1x1x8x128xbf16>
  %6 = "ttir.full"() {fill_value = 0.000000e+00 : f32, shape = array<i32: 1, 1, 1, 1>} : () -> tensor<1x1x1x1xbf16>
  %7 = "ttir.add"(%5, %6) : (tensor<1x1x8x128xbf16>, tensor<1x1x1x1xbf16>) -> tensor<1x1x8x128xbf16>
  return %7 : tensor<1x1x8x128xbf16>
}
