func.func @forward(%x: tensor<1x192x128xbf16>) -> (tensor<1x192x128xbf16>) {
  %0 = "ttir.reshape"(%x) {shape = [1 : i32, 1 : i32, 24576 : i32]} : (tensor<1x192x128xbf16>) -> tensor<1x1x24576xbf16>
  %1 = "ttir.layer_norm"(%0) {normalized_shape = array<i64: 24576>, operandSegmentSizes = array<i32: 1, 0, 0, 0>} : (tensor<1x1x24576xbf16>) -> tensor<1x1x24576xbf16>
  %2 = "ttir.reshape"(%1) {shape = [1 : i32, 192 : i32, 128 : i32]} : (tensor<1x1x24576xbf16>) -> tensor<1x192x128xbf16>
  return %2 : tensor<1x192x128xbf16>
}
