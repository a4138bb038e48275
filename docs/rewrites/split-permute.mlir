func.func @forward(%x: tensor<1x3x224x224xbf16>) -> (tensor<1x224x224x3xbf16>) {
  %0 = "ttir.exp"(%x) : (tensor<1x3x224x224xbf16>) -> tensor<1x3x224x224xbf16>
  %1 = "ttir.permute"(%0) {permutation = array<i64: 0, 2, 3, 1>} : (tensor<1x3x224x224xbf16>) -> tensor<1x224x224x3xbf16>
  return %1 : tensor<1x224x224x3xbf16>
}
