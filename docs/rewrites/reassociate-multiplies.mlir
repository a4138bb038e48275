func.func @forward(%x: tensor<64x1xbf16>, %x_1: tensor<1x512xbf16>, %x_2: tensor<64x1xbf16>) -> (tensor<64x512xbf16>) {
  %0 = "ttir.multiply"(%x, %x_1) : (tensor<64x1xbf16>, tensor<1x512xbf16>) -> tensor<64x512xbf16>
  %1 = "ttir.multiply"(%0, %x_2) : (tensor<64x512xbf16>, tensor<64x1xbf16>) -> tensor<64x512xbf16>
  return %1 : tensor<64x512xbf16>
}
