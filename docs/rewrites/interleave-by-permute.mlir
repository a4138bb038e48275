func.func @forward(%re: tensor<64x512xbf16>, %im: tensor<64x512xbf16>) -> tensor<64x512x2xbf16> {
  %0 = "ttir.reshape"(%re) {shape = [64 : i32, 512 : i32, 1 : i32]} : (tensor<64x512xbf16>) -> tensor<64x512x1xbf16>
  %1 = "ttir.reshape"(%im) {shape = [64 : i32, 512 : i32, 1 : i32]} : (tensor<64x512xbf16>) -> tensor<64x512x1xbf16>
  %2 = "ttir.concat"(%0, %1) {dim = 2 : si32} : (tensor<64x512x1xbf16>, tensor<64x512x1xbf16>) -> tensor<64x512x2xbf16>
  return %2 : tensor<64x512x2xbf16>
}
