func.func @forward(%x: tensor<1x1024x512xbf16>, %x_1: tensor<1x320xi64>) -> (tensor<1x320x512xbf16>) {
  %0 = "ttir.unsqueeze"(%x_1) {dim = 2 : si32} : (tensor<1x320xi64>) -> tensor<1x320x1xi64>
  %1 = "ttir.broadcast"(%0) {broadcast_dimensions = array<i64: 1, 1, 512>} : (tensor<1x320x1xi64>) -> tensor<1x320x512xi64>
  %2 = "ttir.gather"(%x, %1) {dim = 1 : i32} : (tensor<1x1024x512xbf16>, tensor<1x320x512xi64>) -> tensor<1x320x512xbf16>
  return %2 : tensor<1x320x512xbf16>
}
