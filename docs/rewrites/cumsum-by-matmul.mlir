func.func @forward(%x: tensor<8x512xbf16>) -> (tensor<8x512xbf16>) {
  %0 = "ttir.cumsum"(%x) {dim = -1 : i64} : (tensor<8x512xbf16>) -> tensor<8x512xbf16>
  return %0 : tensor<8x512xbf16>
}
