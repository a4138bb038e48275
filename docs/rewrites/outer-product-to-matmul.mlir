func.func @forward(%x: tensor<8x512x1xbf16>, %x_1: tensor<8x1x512xbf16>) -> (tensor<8x512x512xbf16>) {
  %0 = "ttir.multiply"(%x, %x_1) : (tensor<8x512x1xbf16>, tensor<8x1x512xbf16>) -> tensor<8x512x512xbf16>
  return %0 : tensor<8x512x512xbf16>
}
