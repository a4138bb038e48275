// More live values than L1 holds: some go to DRAM, and all buffers need addresses.
func.func @full(%a: tensor<2048x2048xbf16>, %b: tensor<2048x2048xbf16>) -> tensor<2048x2048xbf16> {
  %0 = "ttir.exp"(%a) : (tensor<2048x2048xbf16>) -> tensor<2048x2048xbf16>
  %1 = "ttir.sin"(%b) : (tensor<2048x2048xbf16>) -> tensor<2048x2048xbf16>
  %2 = "ttir.cos"(%0) : (tensor<2048x2048xbf16>) -> tensor<2048x2048xbf16>
  %3 = "ttir.softmax"(%1) <{dimension = 1 : si32}> : (tensor<2048x2048xbf16>) -> tensor<2048x2048xbf16>
  %4 = "ttir.softmax"(%2) <{dimension = 1 : si32}> : (tensor<2048x2048xbf16>) -> tensor<2048x2048xbf16>
  %5 = "ttir.matmul"(%3, %4) : (tensor<2048x2048xbf16>, tensor<2048x2048xbf16>) -> tensor<2048x2048xbf16>
  %6 = "ttir.softmax"(%0) <{dimension = 1 : si32}> : (tensor<2048x2048xbf16>) -> tensor<2048x2048xbf16>
  %7 = "ttir.matmul"(%5, %6) : (tensor<2048x2048xbf16>, tensor<2048x2048xbf16>) -> tensor<2048x2048xbf16>
  return %7 : tensor<2048x2048xbf16>
}
