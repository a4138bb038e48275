// Data that changes its place: views, transposes, joins and parts.
func.func @moves(%a: tensor<4x128x256xbf16>, %b: tensor<4x256x64xbf16>) -> tensor<4x64x192xbf16> {
  %0 = "ttir.neg"(%a) : (tensor<4x128x256xbf16>) -> tensor<4x128x256xbf16>
  %1 = "ttir.matmul"(%0, %b) : (tensor<4x128x256xbf16>, tensor<4x256x64xbf16>) -> tensor<4x128x64xbf16>
  %2 = "ttir.transpose"(%1) <{dim0 = 1 : si32, dim1 = 2 : si32}> : (tensor<4x128x64xbf16>) -> tensor<4x64x128xbf16>
  %3 = "ttir.slice_static"(%2) <{begins = [0 : i32, 0 : i32, 32 : i32], ends = [4 : i32, 64 : i32, 96 : i32], step = [1 : i32, 1 : i32, 1 : i32]}> : (tensor<4x64x128xbf16>) -> tensor<4x64x64xbf16>
  %4 = "ttir.concat"(%2, %3) <{dim = -1 : si32}> : (tensor<4x64x128xbf16>, tensor<4x64x64xbf16>) -> tensor<4x64x192xbf16>
  %5 = "ttir.reshape"(%4) <{shape = [256 : i32, 192 : i32]}> : (tensor<4x64x192xbf16>) -> tensor<256x192xbf16>
  %6 = "ttir.exp"(%5) : (tensor<256x192xbf16>) -> tensor<256x192xbf16>
  %7 = "ttir.reshape"(%6) <{shape = [4 : i32, 64 : i32, 192 : i32]}> : (tensor<256x192xbf16>) -> tensor<4x64x192xbf16>
  return %7 : tensor<4x64x192xbf16>
}
