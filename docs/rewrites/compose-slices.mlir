func.func @forward(%x: tensor<128x512xbf16>) -> (tensor<64x256xbf16>) {
  %0 = "ttir.slice_static"(%x) {begins = [32 : i32, 0 : i32], ends = [128 : i32, 512 : i32], step = [1 : i32, 1 : i32]} : (tensor<128x512xbf16>) -> tensor<96x512xbf16>
  %1 = "ttir.exp"(%0) : (tensor<96x512xbf16>) -> tensor<96x512xbf16>
  %2 = "ttir.slice_static"(%1) {begins = [0 : i32, 0 : i32], ends = [96 : i32, 256 : i32], step = [1 : i32, 1 : i32]} : (tensor<96x512xbf16>) -> tensor<96x256xbf16>
  %3 = "ttir.slice_static"(%2) {begins = [0 : i32, 0 : i32], ends = [64 : i32, 256 : i32], step = [1 : i32, 1 : i32]} : (tensor<96x256xbf16>) -> tensor<64x256xbf16>
  return %3 : tensor<64x256xbf16>
}
