func.func @forward(%x: tensor<64x4x512xbf16>, %w: tensor<512x512xbf16> {tt.argument_type = #tt.argument_type<"parameter">, ttir.name = "w"}) -> (tensor<64x512xbf16>) {
  %0 = "ttir.full"() {fill_value = 0.000000e+00 : f32, shape = array<i32: 64, 512>} : () -> tensor<64x512xbf16>
  %1 = "ttir.slice_static"(%x) {begins = [0 : i32, 0 : i32, 0 : i32], ends = [64 : i32, 1 : i32, 512 : i32], step = [1 : i32, 1 : i32, 1 : i32]} : (tensor<64x4x512xbf16>) -> tensor<64x1x512xbf16>
  %2 = "ttir.squeeze"(%1) {dim = 1 : si32} : (tensor<64x1x512xbf16>) -> tensor<64x512xbf16>
  %3 = "ttir.matmul"(%0, %w) : (tensor<64x512xbf16>, tensor<512x512xbf16>) -> tensor<64x512xbf16>
  %4 = "ttir.add"(%2, %3) : (tensor<64x512xbf16>, tensor<64x512xbf16>) -> tensor<64x512xbf16>
  %5 = "ttir.tanh"(%4) : (tensor<64x512xbf16>) -> tensor<64x512xbf16>
  %6 = "ttir.slice_static"(%x) {begins = [0 : i32, 1 : i32, 0 : i32], ends = [64 : i32, 2 : i32, 512 : i32], step = [1 : i32, 1 : i32, 1 : i32]} : (tensor<64x4x512xbf16>) -> tensor<64x1x512xbf16>
  %7 = "ttir.squeeze"(%6) {dim = 1 : si32} : (tensor<64x1x512xbf16>) -> tensor<64x512xbf16>
  %8 = "ttir.matmul"(%5, %w) : (tensor<64x512xbf16>, tensor<512x512xbf16>) -> tensor<64x512xbf16>
  %9 = "ttir.add"(%7, %8) : (tensor<64x512xbf16>, tensor<64x512xbf16>) -> tensor<64x512xbf16>
  %10 = "ttir.tanh"(%9) : (tensor<64x512xbf16>) -> tensor<64x512xbf16>
  %11 = "ttir.slice_static"(%x) {begins = [0 : i32, 2 : i32, 0 : i32], ends = [64 : i32, 3 : i32, 512 : i32], step = [1 : i32, 1 : i32, 1 : i32]} : (tensor<64x4x512xbf16>) -> tensor<64x1x512xbf16>
  %12 = "ttir.squeeze"(%11) {dim = 1 : si32} : (tensor<64x1x512xbf16>) -> tensor<64x512xbf16>
  %13 = "ttir.matmul"(%10, %w) : (tensor<64x512xbf16>, tensor<512x512xbf16>) -> tensor<64x512xbf16>
  %14 = "ttir.add"(%12, %13) : (tensor<64x512xbf16>, tensor<64x512xbf16>) -> tensor<64x512xbf16>
  %15 = "ttir.tanh"(%14) : (tensor<64x512xbf16>) -> tensor<64x512xbf16>
  %16 = "ttir.slice_static"(%x) {begins = [0 : i32, 3 : i32, 0 : i32], ends = [64 : i32, 4 : i32, 512 : i32], step = [1 : i32, 1 : i32, 1 : i32]} : (tensor<64x4x512xbf16>) -> tensor<64x1x512xbf16>
  %17 = "ttir.squeeze"(%16) {dim = 1 : si32} : (tensor<64x1x512xbf16>) -> tensor<64x512xbf16>
  %18 = "ttir.matmul"(%15, %w) : (tensor<64x512xbf16>, tensor<512x512xbf16>) -> tensor<64x512xbf16>
  %19 = "ttir.add"(%17, %18) : (tensor<64x512xbf16>, tensor<64x512xbf16>) -> tensor<64x512xbf16>
  %20 = "ttir.tanh"(%19) : (tensor<64x512xbf16>) -> tensor<64x512xbf16>
  return %20 : tensor<64x512xbf16>
}
