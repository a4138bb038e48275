// Values that several ops read, which would have them in different layouts.
func.func @forks(%a: tensor<1024x256xbf16>, %b: tensor<256x1024xbf16>) -> (tensor<1024x1024xbf16>, tensor<256x256xbf16>, tensor<1024x256xbf16>) {
  %0 = "ttir.tanh"(%a) : (tensor<1024x256xbf16>) -> tensor<1024x256xbf16>
  %1 = "ttir.sigmoid"(%b) : (tensor<256x1024xbf16>) -> tensor<256x1024xbf16>
  %2 = "ttir.matmul"(%0, %1) : (tensor<1024x256xbf16>, tensor<256x1024xbf16>) -> tensor<1024x1024xbf16>
  %3 = "ttir.matmul"(%1, %0) : (tensor<256x1024xbf16>, tensor<1024x256xbf16>) -> tensor<256x256xbf16>
  %4 = "ttir.softmax"(%0) <{dimension = 1 : si32}> : (tensor<1024x256xbf16>) -> tensor<1024x256xbf16>
  %5 = "ttir.multiply"(%4, %0) : (tensor<1024x256xbf16>, tensor<1024x256xbf16>) -> tensor<1024x256xbf16>
  return %2, %3, %5 : tensor<1024x1024xbf16>, tensor<256x256xbf16>, tensor<1024x256xbf16>
}
