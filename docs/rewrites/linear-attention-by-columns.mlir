func.func @forward(%x: tensor<1x784x64xbf16>, %q: tensor<64x64xbf16> {tt.argument_type = #tt.argument_type<"parameter">, ttir.name = "q"}, %k: tensor<64x64xbf16> {tt.argument_type = #tt.argument_type<"parameter">, ttir.name = "k"}, %v: tensor<64x64xbf16> {tt.argument_type = #tt.argument_type<"parameter">, ttir.name = "v"}) -> (tensor<1x784x64xbf16>) {
  %0 = "ttir.matmul"(%x, %k) {transpose_b = true} : (tensor<1x784x64xbf16>, tensor<64x64xbf16>) -> tensor<1x784x64xbf16>
  %1 = "ttir.reshape"(%0) {shape = [1 : i32, 784 : i32, 8 : i32, 8 : i32]} : (tensor<1x784x64xbf16>) -> tensor<1x784x8x8xbf16>
  %2 = "ttir.transpose"(%1) {dim0 = 1 : si32, dim1 = 2 : si32} : (tensor<1x784x8x8xbf16>) -> tensor<1x8x784x8xbf16>
  %3 = "ttir.softmax"(%2) {dimension = 2 : si32, numericStable = true} : (tensor<1x8x784x8xbf16>) -> tensor<1x8x784x8xbf16>
  %4 = "ttir.transpose"(%3) {dim0 = 2 : si32, dim1 = 3 : si32} : (tensor<1x8x784x8xbf16>) -> tensor<1x8x8x784xbf16>
  %5 = "ttir.matmul"(%x, %v) {transpose_b = true} : (tensor<1x784x64xbf16>, tensor<64x64xbf16>) -> tensor<1x784x64xbf16>
  %6 = "ttir.reshape"(%5) {shape = [1 : i32, 784 : i32, 8 : i32, 8 : i32]} : (tensor<1x784x64xbf16>) -> tensor<1x784x8x8xbf16>
  %7 = "ttir.transpose"(%6) {dim0 = 1 : si32, dim1 = 2 : si32} : (tensor<1x784x8x8xbf16>) -> tensor<1x8x784x8xbf16>
  %8 = "ttir.matmul"(%4, %7) : (tensor<1x8x8x784xbf16>, tensor<1x8x784x8xbf16>) -> tensor<1x8x8x8xbf16>
  %9 = "ttir.matmul"(%x, %q) {transpose_b = true} : (tensor<1x784x64xbf16>, tensor<64x64xbf16>) -> tensor<1x784x64xbf16>
  %10 = "ttir.reshape"(%9) {shape = [1 : i32, 784 : i32, 8 : i32, 8 : i32]} : (tensor<1x784x64xbf16>) -> tensor<1x784x8x8xbf16>
  %11 = "ttir.transpose"(%10) {dim0 = 1 : si32, dim1 = 2 : si32} : (tensor<1x784x8x8xbf16>) -> tensor<1x8x784x8xbf16>
  %12 = "ttir.matmul"(%11, %8) : (tensor<1x8x784x8xbf16>, tensor<1x8x8x8xbf16>) -> tensor<1x8x784x8xbf16>
  %13 = "ttir.transpose"(%12) {dim0 = 1 : si32, dim1 = 2 : si32} : (tensor<1x8x784x8xbf16>) -> tensor<1x784x8x8xbf16>
  %14 = "ttir.reshape"(%13) {shape = [1 : i32, 784 : i32, 64 : i32]} : (tensor<1x784x8x8xbf16>) -> tensor<1x784x64xbf16>
  return %14 : tensor<1x784x64xbf16>
}
