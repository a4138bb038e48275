func.func @forward(%x: tensor<1x64x512xbf16>) -> (tensor<1x64x512xbf16>) {
  %0 = "ttir.transpose"(%x) {dim0 = 1 : si32, dim1 = 2 : si32} : (tensor<1x64x512xbf16>) -> tensor<1x512x64xbf16>
  %1 = "ttir.mean"(%0) {dim_arg = [1 : i32], keep_dim = true} : (tensor<1x512x64xbf16>) -> tensor<1x1x64xbf16>
  %2 = "ttir.subtract"(%0, %1) : (tensor<1x512x64xbf16>, tensor<1x1x64xbf16>) -> tensor<1x512x64xbf16>
  %3 = "ttir.exp"(%2) : (tensor<1x512x64xbf16>) -> tensor<1x512x64xbf16>
  %4 = "ttir.transpose"(%3) {dim0 = 1 : si32, dim1 = 2 : si32} : (tensor<1x512x64xbf16>) -> tensor<1x64x512xbf16>
  return %4 : tensor<1x64x512xbf16>
}
