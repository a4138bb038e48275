func.func @forward(%x: tensor<2x8x8x1x128xbf16>, %x_1: tensor<1xi64>, %held: tensor<2x8x8x1024x128xbf16> {tt.argument_type = #tt.argument_type<"parameter">, ttir.name = "held"}) -> (tensor<8x8x1x128xbf16>) {
  %0 = "ttir.slice_static"(%held) {begins = [0 : i32, 0 : i32, 0 : i32, 0 : i32, 0 : i32], ends = [1 : i32, 8 : i32, 8 : i32, 1024 : i32, 128 : i32], step = [1 : i32, 1 : i32, 1 : i32, 1 : i32, 1 : i32]} : (tensor<2x8x8x1024x128xbf16>) -> tensor<1x8x8x1024x128xbf16>
  %1 = "ttir.squeeze"(%0) {dim = 0 : si32} : (tensor<1x8x8x1024x128xbf16>) -> tensor<8x8x1024x128xbf16>
  %2 = "ttir.slice_static"(%x) {begins = [0 : i32, 0 : i32, 0 : i32, 0 : i32, 0 : i32], ends = [1 : i32, 8 : i32, 8 : i32, 1 : i32, 128 : i32], step = [1 : i32, 1 : i32, 1 : i32, 1 : i32, 1 : i32]} : (tensor<2x8x8x1x128xbf16>) -> tensor<1x8x8x1x128xbf16>
  %3 = "ttir.squeeze"(%2) {dim = 0 : si32} : (tensor<1x8x8x1x128xbf16>) -> tensor<8x8x1x128xbf16>
  %4 = "ttir.reshape"(%x_1) {shape = [1 : i32, 1 : i32, 1 : i32, 1 : i32]} : (tensor<1xi64>) -> tensor<1x1x1x1xi64>
  %5 = "ttir.broadcast"(%4) {broadcast_dimensions = array<i64: 8, 8, 1, 128>} : (tensor<1x1x1x1xi64>) -> tensor<8x8x1x128xi64>
  %6 = "ttir.scatter"(%1, %5, %3) {dim = 2 : i32} : (tensor<8x8x1024x128xbf16>, tensor<8x8x1x128xi64>, tensor<8x8x1x128xbf16>) -> tensor<8x8x1024x128xbf16>
  %7 = "ttir.reshape"(%6) {shape = [1 : i32, 8 : i32, 8 : i32, 1024 : i32, 128 : i32]} : (tensor<8x8x1024x128xbf16>) -> tensor<1x8x8x1024x128xbf16>
  %8 = "ttir.slice_static"(%held) {begins = [1 : i32, 0 : i32, 0 : i32, 0 : i32, 0 : i32], ends = [2 : i32, 8 : i32, 8 : i32, 1024 : i32, 128 : i32], step = [1 : i32, 1 : i32, 1 : i32, 1 : i32, 1 : i32]} : (tensor<2x8x8x1024x128xbf16>) -> tensor<1x8x8x1024x128xbf16>
  %9 = "ttir.concat"(%7, %8) {dim = 0 : si32, operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (tensor<1x8x8x1024x128xbf16>, tensor<1x8x8x1024x128xbf16>) -> tensor<2x8x8x1024x128xbf16>
  %10 = "ttir.slice_static"(%x) {begins = [1 : i32, 0 : i32, 0 : i32, 0 : i32, 0 : i32], ends = [2 : i32, 8 : i32, 8 : i32, 1 : i32, 128 : i32], step = [1 : i32, 1 : i32, 1 : i32, 1 : i32, 1 : i32]} : (tensor<2x8x8x1x128xbf16>) -> tensor<1x8x8x1x128xbf16>
  %11 = "ttir.squeeze"(%10) {dim = 0 : si32} : (tensor<1x8x8x1x128xbf16>) -> tensor<8x8x1x128xbf16>
  %12 = "ttir.slice_static"(%9) {begins = [1 : i32, 0 : i32, 0 : i32, 0 : i32, 0 : i32], ends = [2 : i32, 8 : i32, 8 : i32, 1024 : i32, 128 : i32], step = [1 : i32, 1 : i32, 1 : i32, 1 : i32, 1 : i32]} : (tensor<2x8x8x1024x128xbf16>) -> tensor<1x8x8x1024x128xbf16>
  %13 = "ttir.squeeze"(%12) {dim = 0 : si32} : (tensor<1x8x8x1024x128xbf16>) -> tensor<8x8x1024x128xbf16>
  %14 = "ttir.scatter"(%13, %5, %11) {dim = 2 : i32} : (tensor<8x8x1024x128xbf16>, tensor<8x8x1x128xi64>, tensor<8x8x1x128xbf16>) -> tensor<8x8x1024x128xbf16>
  %15 = "ttir.reshape"(%14) {shape = [1 : i32, 8 : i32, 8 : i32, 1024 : i32, 128 : i32]} : (tensor<8x8x1024x128xbf16>) -> tensor<1x8x8x1024x128xbf16>
  %16 = "ttir.slice_static"(%9) {begins = [0 : i32, 0 : i32, 0 : i32, 0 : i32, 0 : i32], ends = [1 : i32, 8 : i32, 8 : i32, 1024 : i32, 128 : i32], step = [1 : i32, 1 : i32, 1 : i32, 1 : i32, 1 : i32]} : (tensor<2x8x8x1024x128xbf16>) -> tensor<1x8x8x1024x128xbf16>
  %17 = "ttir.concat"(%16, %15) {dim = 0 : si32, operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (tensor<1x8x8x1024x128xbf16>, tensor<1x8x8x1024x128xbf16>) -> tensor<2x8x8x1024x128xbf16>
  %18 = "ttir.arange"() {arange_dimension = 0 : i64, end = 1024 : si64, start = 0 : si64, step = 1 : si64} : () -> tensor<1024xi64>
  %19 = "ttir.le"(%18, %x_1) : (tensor<1024xi64>, tensor<1xi64>) -> tensor<1024xi1>
  %20 = "ttir.unsqueeze"(%19) {dim = 0 : si32} : (tensor<1024xi1>) -> tensor<1x1024xi1>
  %21 = "ttir.unsqueeze"(%20) {dim = 1 : si32} : (tensor<1x1024xi1>) -> tensor<1x1x1024xi1>
  %22 = "ttir.unsqueeze"(%21) {dim = 2 : si32} : (tensor<1x1x1024xi1>) -> tensor<1x1x1x1024xi1>
  %23 = "ttir.slice_static"(%17) {begins = [0 : i32, 0 : i32, 0 : i32, 0 : i32, 0 : i32], ends = [1 : i32, 8 : i32, 8 : i32, 1024 : i32, 128 : i32], step = [1 : i32, 1 : i32, 1 : i32, 1 : i32, 1 : i32]} : (tensor<2x8x8x1024x128xbf16>) -> tensor<1x8x8x1024x128xbf16>
  %24 = "ttir.squeeze"(%23) {dim = 0 : si32} : (tensor<1x8x8x1024x128xbf16>) -> tensor<8x8x1024x128xbf16>
  %25 = "ttir.slice_static"(%17) {begins = [1 : i32, 0 : i32, 0 : i32, 0 : i32, 0 : i32], ends = [2 : i32, 8 : i32, 8 : i32, 1024 : i32, 128 : i32], step = [1 : i32, 1 : i32, 1 : i32, 1 : i32, 1 : i32]} : (tensor<2x8x8x1024x128xbf16>) -> tensor<1x8x8x1024x128xbf16>
  %26 = "ttir.squeeze"(%25) {dim = 0 : si32} : (tensor<1x8x8x1024x128xbf16>) -> tensor<8x8x1024x128xbf16>
  %27 = "ttir.full"() {fill_value = 0.000000e+00 : f32, shape = array<i32: 1, 1, 1, 1>} : () -> tensor<1x1x1x1xbf16>
  %28 = "ttir.full"() {fill_value = 0xFF800000 : f32, shape = array<i32: 1, 1, 1, 1>} : () -> tensor<1x1x1x1xbf16>
  %29 = "ttir.where"(%22, %27, %28) : (tensor<1x1x1x1024xi1>, tensor<1x1x1x1xbf16>, tensor<1x1x1x1xbf16>) -> tensor<1x1x1x1024xbf16>
  %30 = "ttir.scaled_dot_product_attention"(%3, %24, %26, %29) {is_causal = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0>} : (tensor<8x8x1x128xbf16>, tensor<8x8x1024x128xbf16>, tensor<8x8x1024x128xbf16>, tensor<1x1x1x1024xbf16>) -> tensor<8x8x1x128xbf16>
  %31 = "ttir.assign"(%held, %17) : (tensor<2x8x8x1024x128xbf16>, tensor<2x8x8x1024x128xbf16>) -> tensor<2x8x8x1024x128xbf16>
  return %30 : tensor<8x8x1x128xbf16>
}
