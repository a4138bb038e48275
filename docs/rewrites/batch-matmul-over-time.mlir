func.func @forward(%x: tensor<64x8x256xbf16>, %w: tensor<256x512xbf16> {tt.argument_type = #tt.argument_type<"parameter">, ttir.name = "w"}, %v: tensor<512x512xbf16> {tt.argument_type = #tt.argument_type<"parameter">, ttir.name = "v"}) -> (tensor<64x512xbf16>) {
  %0 = "ttir.full"() {fill_value = 0.000000e+00 : f32, shape = array<i32: 64, 512>} : () -> tensor<64x512xbf16>
  %1 = "ttir.slice_static"(%x) {begins = [0 : i32, 0 : i32, 0 : i32], ends = [64 : i32, 1 : i32, 256 : i32], step = [1 : i32, 1 : i32, 1 : i32]} : (tensor<64x8x256xbf16>) -> tensor<64x1x256xbf16>
  %2 = "ttir.squeeze"(%1) {dim = 1 : si32} : (tensor<64x1x256xbf16>) -> tensor<64x256xbf16>
  %3 = "ttir.matmul"(%2, %w) : (tensor<64x256xbf16>, tensor<256x512xbf16>) -> tensor<64x512xbf16>
  %4 = "ttir.matmul"(%0, %v) : (tensor<64x512xbf16>, tensor<512x512xbf16>) -> tensor<64x512xbf16>
  %5 = "ttir.add"(%3, %4) : (tensor<64x512xbf16>, tensor<64x512xbf16>) -> tensor<64x512xbf16>
  %6 = "ttir.tanh"(%5) : (tensor<64x512xbf16>) -> tensor<64x512xbf16>
  %7 = "ttir.slice_static"(%x) {begins = [0 : i32, 1 : i32, 0 : i32], ends = [64 : i32, 2 : i32, 256 : i32], step = [1 : i32, 1 : i32, 1 : i32]} : (tensor<64x8x256xbf16>) -> tensor<64x1x256xbf16>
  %8 = "ttir.squeeze"(%7) {dim = 1 : si32} : (tensor<64x1x256xbf16>) -> tensor<64x256xbf16>
  %9 = "ttir.matmul"(%8, %w) : (tensor<64x256xbf16>, tensor<256x512xbf16>) -> tensor<64x512xbf16>
  %10 = "ttir.matmul"(%6, %v) : (tensor<64x512xbf16>, tensor<512x512xbf16>) -> tensor<64x512xbf16>
  %11 = "ttir.add"(%9, %10) : (tensor<64x512xbf16>, tensor<64x512xbf16>) -> tensor<64x512xbf16>
  %12 = "ttir.tanh"(%11) : (tensor<64x512xbf16>) -> tensor<64x512xbf16>
  %13 = "ttir.slice_static"(%x) {begins = [0 : i32, 2 : i32, 0 : i32], ends = [64 : i32, 3 : i32, 256 : i32], step = [1 : i32, 1 : i32, 1 : i32]} : (tensor<64x8x256xbf16>) -> tensor<64x1x256xbf16>
  %14 = "ttir.squeeze"(%13) {dim = 1 : si32} : (tensor<64x1x256xbf16>) -> tensor<64x256xbf16>
  %15 = "ttir.matmul"(%14, %w) : (tensor<64x256xbf16>, tensor<256x512xbf16>) -> tensor<64x512xbf16>
  %16 = "ttir.matmul"(%12, %v) : (tensor<64x512xbf16>, tensor<512x512xbf16>) -> tensor<64x512xbf16>
  %17 = "ttir.add"(%15, %16) : (tensor<64x512xbf16>, tensor<64x512xbf16>) -> tensor<64x512xbf16>
  %18 = "ttir.tanh"(%17) : (tensor<64x512xbf16>) -> tensor<64x512xbf16>
  %19 = "ttir.slice_static"(%x) {begins = [0 : i32, 3 : i32, 0 : i32], ends = [64 : i32, 4 : i32, 256 : i32], step = [1 : i32, 1 : i32, 1 : i32]} : (tensor<64x8x256xbf16>) -> tensor<64x1x256xbf16>
  %20 = "ttir.squeeze"(%19) {dim = 1 : si32} : (tensor<64x1x256xbf16>) -> tensor<64x256xbf16>
  %21 = "ttir.matmul"(%20, %w) : (tensor<64x256xbf16>, tensor<256x512xbf16>) -> tensor<64x512xbf16>
  %22 = "ttir.matmul"(%18, %v) : (tensor<64x512xbf16>, tensor<512x512xbf16>) -> tensor<64x512xbf16>
  %23 = "ttir.add"(%21, %22) : (tensor<64x512xbf16>, tensor<64x512xbf16>) -> tensor<64x512xbf16>
  %24 = "ttir.tanh"(%23) : (tensor<64x512xbf16>) -> tensor<64x512xbf16>
  %25 = "ttir.slice_static"(%x) {begins = [0 : i32, 4 : i32, 0 : i32], ends = [64 : i32, 5 : i32, 256 : i32], step = [1 : i32, 1 : i32, 1 : i32]} : (tensor<64x8x256xbf16>) -> tensor<64x1x256xbf16>
  %26 = "ttir.squeeze"(%25) {dim = 1 : si32} : (tensor<64x1x256xbf16>) -> tensor<64x256xbf16>
  %27 = "ttir.matmul"(%26, %w) : (tensor<64x256xbf16>, tensor<256x512xbf16>) -> tensor<64x512xbf16>
  %28 = "ttir.matmul"(%24, %v) : (tensor<64x512xbf16>, tensor<512x512xbf16>) -> tensor<64x512xbf16>
  %29 = "ttir.add"(%27, %28) : (tensor<64x512xbf16>, tensor<64x512xbf16>) -> tensor<64x512xbf16>
  %30 = "ttir.tanh"(%29) : (tensor<64x512xbf16>) -> tensor<64x512xbf16>
  %31 = "ttir.slice_static"(%x) {begins = [0 : i32, 5 : i32, 0 : i32], ends = [64 : i32, 6 : i32, 256 : i32], step = [1 : i32, 1 : i32, 1 : i32]} : (tensor<64x8x256xbf16>) -> tensor<64x1x256xbf16>
  %32 = "ttir.squeeze"(%31) {dim = 1 : si32} : (tensor<64x1x256xbf16>) -> tensor<64x256xbf16>
  %33 = "ttir.matmul"(%32, %w) : (tensor<64x256xbf16>, tensor<256x512xbf16>) -> tensor<64x512xbf16>
  %34 = "ttir.matmul"(%30, %v) : (tensor<64x512xbf16>, tensor<512x512xbf16>) -> tensor<64x512xbf16>
  %35 = "ttir.add"(%33, %34) : (tensor<64x512xbf16>, tensor<64x512xbf16>) -> tensor<64x512xbf16>
  %36 = "ttir.tanh"(%35) : (tensor<64x512xbf16>) -> tensor<64x512xbf16>
  %37 = "ttir.slice_static"(%x) {begins = [0 : i32, 6 : i32, 0 : i32], ends = [64 : i32, 7 : i32, 256 : i32], step = [1 : i32, 1 : i32, 1 : i32]} : (tensor<64x8x256xbf16>) -> tensor<64x1x256xbf16>
  %38 = "ttir.squeeze"(%37) {dim = 1 : si32} : (tensor<64x1x256xbf16>) -> tensor<64x256xbf16>
  %39 = "ttir.matmul"(%38, %w) : (tensor<64x256xbf16>, tensor<256x512xbf16>) -> tensor<64x512xbf16>
  %40 = "ttir.matmul"(%36, %v) : (tensor<64x512xbf16>, tensor<512x512xbf16>) -> tensor<64x512xbf16>
  %41 = "ttir.add"(%39, %40) : (tensor<64x512xbf16>, tensor<64x512xbf16>) -> tensor<64x512xbf16>
  %42 = "ttir.tanh"(%41) : (tensor<64x512xbf16>) -> tensor<64x512xbf16>
  %43 = "ttir.slice_static"(%x) {begins = [0 : i32, 7 : i32, 0 : i32], ends = [64 : i32, 8 : i32, 256 : i32], step = [1 : i32, 1 : i32, 1 : i32]} : (tensor<64x8x256xbf16>) -> tensor<64x1x256xbf16>
  %44 = "ttir.squeeze"(%43) {dim = 1 : si32} : (tensor<64x1x256xbf16>) -> tensor<64x256xbf16>
  %45 = "ttir.matmul"(%44, %w) : (tensor<64x256xbf16>, tensor<256x512xbf16>) -> tensor<64x512xbf16>
  %46 = "ttir.matmul"(%42, %v) : (tensor<64x512xbf16>, tensor<512x512xbf16>) -> tensor<64x512xbf16>
  %47 = "ttir.add"(%45, %46) : (tensor<64x512xbf16>, tensor<64x512xbf16>) -> tensor<64x512xbf16>
  %48 = "ttir.tanh"(%47) : (tensor<64x512xbf16>) -> tensor<64x512xbf16>
  return %48 : tensor<64x512xbf16>
}
