func.func @forward(%re: tensor<64x360xbf16>, %im: tensor<64x360xbf16>) -> (tensor<64x360xbf16>, tensor<64x360xbf16>) {
  %0:2 = "ttir.fourier"(%re, %im) {dim = 1 : si32} : (tensor<64x360xbf16>, tensor<64x360xbf16>) -> (tensor<64x360xbf16>, tensor<64x360xbf16>)
  return %0#0, %0#1 : tensor<64x360xbf16>, tensor<64x360xbf16>
}
