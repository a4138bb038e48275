func.func @forward(%x: tensor<4x12x128x128xbf16>, %x_1: tensor<4x1x1x128xbf16>) -> (tensor<4x12x128x128xbf16>) {
  %0 = "ttir.add"(%x, %x_1) : (tensor<4x12x128x128xbf16>, tensor<4x1x1x128xbf16>) -> tensor<4x12x128x128xbf16>
  %1 = "ttir.softmax"(%0) {dimension = -1 : si32, numericStable = true} : (tensor<4x12x128x128xbf16>) -> tensor<4x12x128x128xbf16>
  return %1 : tensor<4x12x128x128xbf16>
}
