func.func @forward(%x: tensor<8x256x256xbf16>, %x_1: tensor<8x256x16x1xbf16>, %x_2: tensor<8x256x1x16xbf16>) -> (tensor<8x256x256xbf16>) {
  %0 = "ttir.reshape"(%x) {shape = [8 : i32, 256 : i32, 16 : i32, 16 : i32]} : (tensor<8x256x256xbf16>) -> tensor<8x256x16x16xbf16>
  %1 = "ttir.add"(%0, %x_1) : (tensor<8x256x16x16xbf16>, tensor<8x256x16x1xbf16>) -> tensor<8x256x16x16xbf16>
  %2 = "ttir.add"(%1, %x_2) : (tensor<8x256x16x16xbf16>, tensor<8x256x1x16xbf16>) -> tensor<8x256x16x16xbf16>
  %3 = "ttir.reshape"(%2) {shape = [8 : i32, 256 : i32, 256 : i32]} : (tensor<8x256x16x16xbf16>) -> tensor<8x256x256xbf16>
  %4 = "ttir.exp"(%3) : (tensor<8x256x256xbf16>) -> tensor<8x256x256xbf16>
  return %4 : tensor<8x256x256xbf16>
}
