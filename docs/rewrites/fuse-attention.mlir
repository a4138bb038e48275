func.func @forward(%x: tensor<1x8x128x64xbf16>, %x_1: tensor<1x8x128x64xbf16>, %x_2: tensor<1x8x128x64xbf16>) -> (tensor<1x8x128x64xbf16>) {
  %0 = "ttir.transpose"(%x_1) {dim0 = 2 : si32, dim1 = 3 : si32} : (tensor<1x8x128x64xbf16>) -> tensor<1x8x64x128xbf16>
  %1 = "ttir.matmul"(%x, %0) : (tensor<1x8x128x64xbf16>, tensor<1x8x64x128xbf16>) -> tensor<1x8x128x128xbf16>
  %2 = "ttir.full"() {fill_value = 1.250000e-01 : f32, shape = array<i32: 1, 1, 1, 1>} : () -> tensor<1x1x1x1xbf16>
  %3 = "ttir.multiply"(%1, %2) : (tensor<1x8x128x128xbf16>, tensor<1x1x1x1xbf16>) -> tensor<1x8x128x128xbf16>
  %4 = "ttir.softmax"(%3) {dimension = -1 : si32, numericStable = true} : (tensor<1x8x128x128xbf16>) -> tensor<1x8x128x128xbf16>
  %5 = "ttir.matmul"(%4, %x_2) : (tensor<1x8x128x128xbf16>, tensor<1x8x128x64xbf16>) -> tensor<1x8x128x64xbf16>
  return %5 : tensor<1x8x128x64xbf16>
}
