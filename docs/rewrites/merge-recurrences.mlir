func.func @forward(%x: tensor<4x32x128xbf16>, %w: tensor<128x128xbf16> {tt.argument_type = #tt.argument_type<"parameter">, ttir.name = "w"}, %v: tensor<128x128xbf16> {tt.argument_type = #tt.argument_type<"parameter">, ttir.name = "v"}, %a: tensor<128x128xbf16> {tt.argument_type = #tt.argument_type<"parameter">, ttir.name = "a"}, %b: tensor<128x128xbf16> {tt.argument_type = #tt.argument_type<"parameter">, ttir.name = "b"}) -> (tensor<32x256xbf16>) {
  %0 = "ttir.slice_static"(%x) {begins = [0 : i32, 0 : i32, 0 : i32], ends = [1 : i32, 32 : i32, 128 : i32], step = [1 : i32, 1 : i32, 1 : i32]} : (tensor<4x32x128xbf16>) -> tensor<1x32x128xbf16>
  %1 = "ttir.squeeze"(%0) {dim = 0 : si32} : (tensor<1x32x128xbf16>) -> tensor<32x128xbf16>
  %2 = "ttir.matmul"(%1, %w) : (tensor<32x128xbf16>, tensor<128x128xbf16>) -> tensor<32x128xbf16>
  %3 = "ttir.tanh"(%2) : (tensor<32x128xbf16>) -> tensor<32x128xbf16>
  %4 = "ttir.slice_static"(%x) {begins = [3 : i32, 0 : i32, 0 : i32], ends = [4 : i32, 32 : i32, 128 : i32], step = [1 : i32, 1 : i32, 1 : i32]} : (tensor<4x32x128xbf16>) -> tensor<1x32x128xbf16>
  %5 = "ttir.squeeze"(%4) {dim = 0 : si32} : (tensor<1x32x128xbf16>) -> tensor<32x128xbf16>
  %6 = "ttir.matmul"(%5, %a) : (tensor<32x128xbf16>, tensor<128x128xbf16>) -> tensor<32x128xbf16>
  %7 = "ttir.tanh"(%6) : (tensor<32x128xbf16>) -> tensor<32x128xbf16>
  %8 = "ttir.slice_static"(%x) {begins = [1 : i32, 0 : i32, 0 : i32], ends = [2 : i32, 32 : i32, 128 : i32], step = [1 : i32, 1 : i32, 1 : i32]} : (tensor<4x32x128xbf16>) -> tensor<1x32x128xbf16>
  %9 = "ttir.squeeze"(%8) {dim = 0 : si32} : (tensor<1x32x128xbf16>) -> tensor<32x128xbf16>
  %10 = "ttir.matmul"(%9, %w) : (tensor<32x128xbf16>, tensor<128x128xbf16>) -> tensor<32x128xbf16>
  %11 = "ttir.matmul"(%3, %v) : (tensor<32x128xbf16>, tensor<128x128xbf16>) -> tensor<32x128xbf16>
  %12 = "ttir.add"(%10, %11) : (tensor<32x128xbf16>, tensor<32x128xbf16>) -> tensor<32x128xbf16>
  %13 = "ttir.tanh"(%12) : (tensor<32x128xbf16>) -> tensor<32x128xbf16>
  %14 = "ttir.slice_static"(%x) {begins = [2 : i32, 0 : i32, 0 : i32], ends = [3 : i32, 32 : i32, 128 : i32], step = [1 : i32, 1 : i32, 1 : i32]} : (tensor<4x32x128xbf16>) -> tensor<1x32x128xbf16>
  %15 = "ttir.squeeze"(%14) {dim = 0 : si32} : (tensor<1x32x128xbf16>) -> tensor<32x128xbf16>
  %16 = "ttir.matmul"(%15, %w) : (tensor<32x128xbf16>, tensor<128x128xbf16>) -> tensor<32x128xbf16>
  %17 = "ttir.matmul"(%13, %v) : (tensor<32x128xbf16>, tensor<128x128xbf16>) -> tensor<32x128xbf16>
  %18 = "ttir.add"(%16, %17) : (tensor<32x128xbf16>, tensor<32x128xbf16>) -> tensor<32x128xbf16>
  %19 = "ttir.tanh"(%18) : (tensor<32x128xbf16>) -> tensor<32x128xbf16>
  %20 = "ttir.matmul"(%5, %w) : (tensor<32x128xbf16>, tensor<128x128xbf16>) -> tensor<32x128xbf16>
  %21 = "ttir.matmul"(%19, %v) : (tensor<32x128xbf16>, tensor<128x128xbf16>) -> tensor<32x128xbf16>
  %22 = "ttir.add"(%20, %21) : (tensor<32x128xbf16>, tensor<32x128xbf16>) -> tensor<32x128xbf16>
  %23 = "ttir.tanh"(%22) : (tensor<32x128xbf16>) -> tensor<32x128xbf16>
  %24 = "ttir.matmul"(%15, %a) : (tensor<32x128xbf16>, tensor<128x128xbf16>) -> tensor<32x128xbf16>
  %25 = "ttir.matmul"(%7, %b) : (tensor<32x128xbf16>, tensor<128x128xbf16>) -> tensor<32x128xbf16>
  %26 = "ttir.add"(%24, %25) : (tensor<32x128xbf16>, tensor<32x128xbf16>) -> tensor<32x128xbf16>
  %27 = "ttir.tanh"(%26) : (tensor<32x128xbf16>) -> tensor<32x128xbf16>
  %28 = "ttir.matmul"(%9, %a) : (tensor<32x128xbf16>, tensor<128x128xbf16>) -> tensor<32x128xbf16>
  %29 = "ttir.matmul"(%27, %b) : (tensor<32x128xbf16>, tensor<128x128xbf16>) -> tensor<32x128xbf16>
  %30 = "ttir.add"(%28, %29) : (tensor<32x128xbf16>, tensor<32x128xbf16>) -> tensor<32x128xbf16>
  %31 = "ttir.tanh"(%30) : (tensor<32x128xbf16>) -> tensor<32x128xbf16>
  %32 = "ttir.matmul"(%1, %a) : (tensor<32x128xbf16>, tensor<128x128xbf16>) -> tensor<32x128xbf16>
  %33 = "ttir.matmul"(%31, %b) : (tensor<32x128xbf16>, tensor<128x128xbf16>) -> tensor<32x128xbf16>
  %34 = "ttir.add"(%32, %33) : (tensor<32x128xbf16>, tensor<32x128xbf16>) -> tensor<32x128xbf16>
  %35 = "ttir.tanh"(%34) : (tensor<32x128xbf16>) -> tensor<32x128xbf16>
  %36 = "ttir.concat"(%23, %35) {dim = 1 : si32, operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (tensor<32x128xbf16>, tensor<32x128xbf16>) -> tensor<32x256xbf16>
  return %36 : tensor<32x256xbf16>
}
