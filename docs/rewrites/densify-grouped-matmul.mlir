func.func @forward(%x: tensor<256x1024xbf16>, %x_1: tensor<8xi32>, %w: tensor<8x1024x2048xbf16> {tt.argument_type = #tt.argument_type<"parameter">, ttir.name = "w"}) -> (tensor<256x2048xbf16>) {
  %0 = "ttir.reshape"(%x_1) {shape = [1 : i32, 8 : i32]} : (tensor<8xi32>) -> tensor<1x8xi32>
  %1 = "ttir.arange"() {arange_dimension = 0 : i64, end = 256 : si64, start = 0 : si64, step = 1 : si64} : () -> tensor<256xi32>
  %2 = "ttir.reshape"(%1) {shape = [256 : i32, 1 : i32]} : (tensor<256xi32>) -> tensor<256x1xi32>
  %3 = "ttir.le"(%0, %2) : (tensor<1x8xi32>, tensor<256x1xi32>) -> tensor<256x8xi1>
  %4 = "ttir.typecast"(%3) : (tensor<256x8xi1>) -> tensor<256x8xi32>
  %5 = "ttir.sum"(%4) {dim_arg = [1 : i32], keep_dim = false} : (tensor<256x8xi32>) -> tensor<256xi32>
  %6 = "ttir.reshape"(%5) {shape = [8 : i32, 1 : i32, 32 : i32, 1 : i32]} : (tensor<256xi32>) -> tensor<8x1x32x1xi32>
  %7 = "ttir.arange"() {arange_dimension = 0 : i64, end = 8 : si64, start = 0 : si64, step = 1 : si64} : () -> tensor<8xi32>
  %8 = "ttir.reshape"(%7) {shape = [1 : i32, 8 : i32, 1 : i32, 1 : i32]} : (tensor<8xi32>) -> tensor<1x8x1x1xi32>
  %9 = "ttir.eq"(%6, %8) : (tensor<8x1x32x1xi32>, tensor<1x8x1x1xi32>) -> tensor<8x8x32x1xi1>
  %10 = "ttir.typecast"(%9) : (tensor<8x8x32x1xi1>) -> tensor<8x8x32x1xi32>
  %11 = "ttir.sum"(%10) {dim_arg = [2 : i32, 3 : i32], keep_dim = false} : (tensor<8x8x32x1xi32>) -> tensor<8x8xi32>
  %12 = "ttir.reshape"(%x) {shape = [1 : i32, 8 : i32, 32 : i32, 1024 : i32]} : (tensor<256x1024xbf16>) -> tensor<1x8x32x1024xbf16>
  %13 = "ttir.reshape"(%w) {shape = [1 : i32, 8 : i32, 1024 : i32, 2048 : i32]} : (tensor<8x1024x2048xbf16>) -> tensor<1x8x1024x2048xbf16>
  %14 = "ttir.reshape"(%11) {shape = [1 : i32, 8 : i32, 1 : i32, 8 : i32]} : (tensor<8x8xi32>) -> tensor<1x8x1x8xi32>
  %15 = "ttir.sparse_matmul"(%12, %13, %14) {nnz = 15 : i64} : (tensor<1x8x32x1024xbf16>, tensor<1x8x1024x2048xbf16>, tensor<1x8x1x8xi32>) -> tensor<1x8x1x8x32x2048xbf16>
  %16 = "ttir.reshape"(%15) {shape = [8 : i32, 8 : i32, 32 : i32, 2048 : i32]} : (tensor<1x8x1x8x32x2048xbf16>) -> tensor<8x8x32x2048xbf16>
  %17 = "ttir.full"() {fill_value = 0.000000e+00 : f32, shape = array<i32: 1, 1, 1, 1>} : () -> tensor<1x1x1x1xbf16>
  %18 = "ttir.where"(%9, %16, %17) : (tensor<8x8x32x1xi1>, tensor<8x8x32x2048xbf16>, tensor<1x1x1x1xbf16>) -> tensor<8x8x32x2048xbf16>
  %19 = "ttir.sum"(%18) {dim_arg = [1 : i32], keep_dim = false} : (tensor<8x8x32x2048xbf16>) -> tensor<8x32x2048xbf16>
  %20 = "ttir.reshape"(%19) {shape = [256 : i32, 2048 : i32]} : (tensor<8x32x2048xbf16>) -> tensor<256x2048xbf16>
  return %20 : tensor<256x2048xbf16>
}
