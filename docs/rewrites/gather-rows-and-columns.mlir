func.func @forward(%x: tensor<1x64x64x96xbf16>) -> (tensor<64x64x96xbf16>) {
  %0 = "ttir.exp"(%x) : (tensor<1x64x64x96xbf16>) -> tensor<1x64x64x96xbf16>
  %1 = "ttir.reshape"(%0) {shape = [1 : i32, 8 : i32, 8 : i32, 8 : i32, 8 : i32, 96 : i32]} : (tensor<1x64x64x96xbf16>) -> tensor<1x8x8x8x8x96xbf16>
  %2 = "ttir.permute"(%1) {permutation = array<i64: 0, 1, 3, 2, 4, 5>} : (tensor<1x8x8x8x8x96xbf16>) -> tensor<1x8x8x8x8x96xbf16>
  %3 = "ttir.reshape"(%2) {shape = [64 : i32, 64 : i32, 96 : i32]} : (tensor<1x8x8x8x8x96xbf16>) -> tensor<64x64x96xbf16>
  %4 = "ttir.exp"(%3) : (tensor<64x64x96xbf16>) -> tensor<64x64x96xbf16>
  return %4 : tensor<64x64x96xbf16>
}
