func.func @forward(%x: tensor<8x128x64xbf16>) -> (tensor<8x128x64xbf16>) {
  %0 = "ttir.reshape"(%x) {shape = [8 : i32, 128 : i32, 2 : i32, 32 : i32]} : (tensor<8x128x64xbf16>) -> tensor<8x128x2x32xbf16>
  %1 = "ttir.permute"(%0) {permutation = array<i64: 2, 0, 1, 3>} : (tensor<8x128x2x32xbf16>) -> tensor<2x8x128x32xbf16>
  %2 = "ttir.exp"(%1) : (tensor<2x8x128x32xbf16>) -> tensor<2x8x128x32xbf16>
  %3 = "ttir.permute"(%2) {permutation = array<i64: 1, 2, 0, 3>} : (tensor<2x8x128x32xbf16>) -> tensor<8x128x2x32xbf16>
  %4 = "ttir.reshape"(%3) {shape = [8 : i32, 128 : i32, 64 : i32]} : (tensor<8x128x2x32xbf16>) -> tensor<8x128x64xbf16>
  return %4 : tensor<8x128x64xbf16>
}
