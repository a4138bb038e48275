func.func @forward(%x: tensor<1x1280x1x1xbf16>) -> (tensor<1x1280x1x1xbf16>) {
  %0 = "ttir.square"(%x) : (tensor<1x1280x1x1xbf16>) -> tensor<1x1280x1x1xbf16>
  %1 = "ttir.sum"(%0) {dim_arg = [1 : i32], keep_dim = true} : (tensor<1x1280x1x1xbf16>) -> tensor<1x1x1x1xbf16>
  %2 = "ttir.sqrt"(%1) : (tensor<1x1x1x1xbf16>) -> tensor<1x1x1x1xbf16>
  %3 = "ttir.div"(%x, %2) : (tensor<1x1280x1x1xbf16>, tensor<1x1x1x1xbf16>) -> tensor<1x1280x1x1xbf16>
  return %3 : tensor<1x1280x1x1xbf16>
}
