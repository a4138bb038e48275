func.func @forward(%x: tensor<1x128x512xbf16>) -> (tensor<1x128x8x64xbf16>) {
  %0 = "ttir.exp"(%x) : (tensor<1x128x512xbf16>) -> tensor<1x128x512xbf16>
  %1 = "ttir.reshape"(%0) {shape = [1 : i32, 128 : i32, 8 : i32, 64 : i32]} : (tensor<1x128x512xbf16>) -> tensor<1x128x8x64xbf16>
  %2 = "ttir.exp"(%1) : (tensor<1x128x8x64xbf16>) -> tensor<1x128x8x64xbf16>
  return %2 : tensor<1x128x8x64xbf16>
}
