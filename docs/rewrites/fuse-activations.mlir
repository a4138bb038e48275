func.func @forward(%x: tensor<64x2048xbf16>, %x_1: tensor<64x2048xbf16>) -> (tensor<64x2048xbf16>) {
  %0 = "ttir.silu"(%x) : (tensor<64x2048xbf16>) -> tensor<64x2048xbf16>
  %1 = "ttir.multiply"(%0, %x_1) : (tensor<64x2048xbf16>, tensor<64x2048xbf16>) -> tensor<64x2048xbf16>
  return %1 : tensor<64x2048xbf16>
}
