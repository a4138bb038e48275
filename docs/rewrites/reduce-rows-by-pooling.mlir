func.func @forward(%x: tensor<1x1x784x512xbf16>) -> (tensor<16x512xbf16>) {
  %0 = "ttir.sin"(%x) : (tensor<1x1x784x512xbf16>) -> tensor<1x1x784x512xbf16>
  %1 = "ttir.reshape"(%0) {shape = [16 : i32, 49 : i32, 512 : i32]} : (tensor<1x1x784x512xbf16>) -> tensor<16x49x512xbf16>
  %2 = "ttir.mean"(%1) {dim_arg = [1 : i32], keep_dim = false} : (tensor<16x49x512xbf16>) -> tensor<16x512xbf16>
  return %2 : tensor<16x512xbf16>
}
