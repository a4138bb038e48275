func.func @forward(%x: tensor<64x128xbf16>, %y: tensor<96x64xbf16>) -> tensor<128x96xbf16> {
  %0 = "ttir.permute"(%x) {permutation = array<i64: 1, 0>} : (tensor<64x128xbf16>) -> tensor<128x64xbf16>
  %1 = "ttir.permute"(%y) {permutation = array<i64: 1, 0>} : (tensor<96x64xbf16>) -> tensor<64x96xbf16>
  %2 = "ttir.matmul"(%0, %1) : (tensor<128x64xbf16>, tensor<64x96xbf16>) -> tensor<128x96xbf16>
  return %2 : tensor<128x96xbf16>
}
