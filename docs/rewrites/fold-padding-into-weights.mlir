func.func @forward(%x: tensor<1x128x320xbf16>, %w: tensor<320x960xbf16> {tt.argument_type = #tt.argument_type<"parameter">, ttir.name = "w"}, %o: tensor<320x320xbf16> {tt.argument_type = #tt.argument_type<"parameter">, ttir.name = "o"}) -> (tensor<1x128x320xbf16>) {
  %0 = "ttir.matmul"(%x, %w) : (tensor<1x128x320xbf16>, tensor<320x960xbf16>) -> tensor<1x128x960xbf16>
  %1 = "ttir.slice_static"(%0) {begins = [0 : i32, 0 : i32, 0 : i32], ends = [1 : i32, 128 : i32, 320 : i32], step = [1 : i32, 1 : i32, 1 : i32]} : (tensor<1x128x960xbf16>) -> tensor<1x128x320xbf16>
  %2 = "ttir.slice_static"(%0) {begins = [0 : i32, 0 : i32, 320 : i32], ends = [1 : i32, 128 : i32, 640 : i32], step = [1 : i32, 1 : i32, 1 : i32]} : (tensor<1x128x960xbf16>) -> tensor<1x128x320xbf16>
  %3 = "ttir.slice_static"(%0) {begins = [0 : i32, 0 : i32, 640 : i32], ends = [1 : i32, 128 : i32, 960 : i32], step = [1 : i32, 1 : i32, 1 : i32]} : (tensor<1x128x960xbf16>) -> tensor<1x128x320xbf16>
  %4 = "ttir.reshape"(%1) {shape = [1 : i32, 128 : i32, 8 : i32, 40 : i32]} : (tensor<1x128x320xbf16>) -> tensor<1x128x8x40xbf16>
  %5 = "ttir.transpose"(%4) {dim0 = 1 : si32, dim1 = 2 : si32} : (tensor<1x128x8x40xbf16>) -> tensor<1x8x128x40xbf16>
  %6 = "ttir.reshape"(%2) {shape = [1 : i32, 128 : i32, 8 : i32, 40 : i32]} : (tensor<1x128x320xbf16>) -> tensor<1x128x8x40xbf16>
  %7 = "ttir.transpose"(%6) {dim0 = 1 : si32, dim1 = 2 : si32} : (tensor<1x128x8x40xbf16>) -> tensor<1x8x128x40xbf16>
  %8 = "ttir.reshape"(%3) {shape = [1 : i32, 128 : i32, 8 : i32, 40 : i32]} : (tensor<1x128x320xbf16>) -> tensor<1x128x8x40xbf16>
  %9 = "ttir.transpose"(%8) {dim0 = 1 : si32, dim1 = 2 : si32} : (tensor<1x128x8x40xbf16>) -> tensor<1x8x128x40xbf16>
  %10 = "ttir.scaled_dot_product_attention"(%5, %7, %9) {is_causal = false, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>} : (tensor<1x8x128x40xbf16>, tensor<1x8x128x40xbf16>, tensor<1x8x128x40xbf16>) -> tensor<1x8x128x40xbf16>
  %11 = "ttir.transpose"(%10) {dim0 = 1 : si32, dim1 = 2 : si32} : (tensor<1x8x128x40xbf16>) -> tensor<1x128x8x40xbf16>
  %12 = "ttir.reshape"(%11) {shape = [1 : i32, 128 : i32, 320 : i32]} : (tensor<1x128x8x40xbf16>) -> tensor<1x128x320xbf16>
  %13 = "ttir.matmul"(%12, %o) : (tensor<1x128x320xbf16>, tensor<320x320xbf16>) -> tensor<1x128x320xbf16>
  return %13 : tensor<1x128x320xbf16>
}
