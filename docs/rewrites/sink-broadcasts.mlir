func.func @forward(%x: tensor<8x64x300xbf16>, %x_1: tensor<8x1x300x2xbf16>) -> (tensor<8x64x300xbf16>) {
  %0 = "ttir.broadcast"(%x_1) {broadcast_dimensions = array<i64: 1, 64, 1, 1>} : (tensor<8x1x300x2xbf16>) -> tensor<8x64x300x2xbf16>
  %1 = "ttir.slice_static"(%0) {begins = [0 : i32, 0 : i32, 0 : i32, 0 : i32], ends = [8 : i32, 64 : i32, 300 : i32, 1 : i32], step = [1 : i32, 1 : i32, 1 : i32, 1 : i32]} : (tensor<8x64x300x2xbf16>) -> tensor<8x64x300x1xbf16>
  %2 = "ttir.squeeze"(%1) {dim = 3 : si32} : (tensor<8x64x300x1xbf16>) -> tensor<8x64x300xbf16>
  %3 = "ttir.slice_static"(%0) {begins = [0 : i32, 0 : i32, 0 : i32, 1 : i32], ends = [8 : i32, 64 : i32, 300 : i32, 2 : i32], step = [1 : i32, 1 : i32, 1 : i32, 1 : i32]} : (tensor<8x64x300x2xbf16>) -> tensor<8x64x300x1xbf16>
  %4 = "ttir.squeeze"(%3) {dim = 3 : si32} : (tensor<8x64x300x1xbf16>) -> tensor<8x64x300xbf16>
  %5 = "ttir.full"() {fill_value = 3.000000e+00 : f32, shape = array<i32: 1, 1, 1>} : () -> tensor<1x1x1xbf16>
  %6 = "ttir.multiply"(%2, %5) : (tensor<8x64x300xbf16>, tensor<1x1x1xbf16>) -> tensor<8x64x300xbf16>
  %7 = "ttir.sigmoid"(%6) : (tensor<8x64x300xbf16>) -> tensor<8x64x300xbf16>
  %8 = "ttir.multiply"(%x, %7) : (tensor<8x64x300xbf16>, tensor<8x64x300xbf16>) -> tensor<8x64x300xbf16>
  %9 = "ttir.full"() {fill_value = 0.000000e+00 : f32, shape = array<i32: 1, 1, 1>} : () -> tensor<1x1x1xbf16>
  %10 = "ttir.gt"(%4, %9) : (tensor<8x64x300xbf16>, tensor<1x1x1xbf16>) -> tensor<8x64x300xi1>
  %11 = "ttir.exp"(%4) : (tensor<8x64x300xbf16>) -> tensor<8x64x300xbf16>
  %12 = "ttir.where"(%10, %11, %4) : (tensor<8x64x300xi1>, tensor<8x64x300xbf16>, tensor<8x64x300xbf16>) -> tensor<8x64x300xbf16>
  %13 = "ttir.add"(%8, %12) : (tensor<8x64x300xbf16>, tensor<8x64x300xbf16>) -> tensor<8x64x300xbf16>
  return %13 : tensor<8x64x300xbf16>
}
