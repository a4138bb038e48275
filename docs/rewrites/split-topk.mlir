func.func @forward(%x: tensor<1x50257xbf16>) -> (tensor<1x8xbf16> {ttir.name = "output.0"}, tensor<1x8xi64> {ttir.name = "output.1"}) {
  %0:2 = "ttir.topk"(%x) {k = 8 : i32, sorted = true} : (tensor<1x50257xbf16>) -> (tensor<1x8xbf16>, tensor<1x8xi64>)
  return %0#0, %0#1 : tensor<1x8xbf16>, tensor<1x8xi64>
}
