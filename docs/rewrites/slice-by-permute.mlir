func.func @forward(%x: tensor<64x512x2xbf16>) -> tensor<64x512xbf16> {
  %0 = "ttir.slice_static"(%x) {begins = [0 : i32, 0 : i32, 0 : i32], ends = [64 : i32, 512 : i32, 1 : i32], step = [1 : i32, 1 : i32, 1 : i32]} : (tensor<64x512x2xbf16>) -> tensor<64x512x1xbf16>
  %1 = "ttir.squeeze"(%0) {dim = -1 : si32} : (tensor<64x512x1xbf16>) -> tensor<64x512xbf16>
  %2 = "ttir.slice_static"(%x) {begins = [0 : i32, 0 : i32, 1 : i32], ends = [64 : i32, 512 : i32, 2 : i32], step = [1 : i32, 1 : i32, 1 : i32]} : (tensor<64x512x2xbf16>) -> tensor<64x512x1xbf16>
  %3 = "ttir.squeeze"(%2) {dim = -1 : si32} : (tensor<64x512x1xbf16>) -> tensor<64x512xbf16>
  %4 = "ttir.add"(%1, %3) : (tensor<64x512xbf16>, tensor<64x512xbf16>) -> tensor<64x512xbf16>
  return %4 : tensor<64x512xbf16>
}
