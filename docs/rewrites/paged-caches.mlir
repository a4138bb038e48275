func.func @forward(%x: tensor<8x8x128xbf16>, %x_1: tensor<8xi64>, %held_k: tensor<16x8x32x128xbf16> {tt.argument_type = #tt.argument_type<"parameter">, ttir.name = "held_k"}) -> (tensor<8x8x128xbf16>) {
  %0 = "ttir.full"() {fill_value = 32 : i32, shape = array<i32: 1>} : () -> tensor<1xi64>
  %1 = "ttir.div"(%x_1, %0) : (tensor<8xi64>, tensor<1xi64>) -> tensor<8xi64>
  %2 = "ttir.remainder"(%x_1, %0) : (tensor<8xi64>, tensor<1xi64>) -> tensor<8xi64>
  %3 = "ttir.full"() {fill_value = 0 : i32, shape = array<i32: 1>} : () -> tensor<1xi64>
  %4 = "ttir.lt"(%2, %3) : (tensor<8xi64>, tensor<1xi64>) -> tensor<8xi1>
  %5 = "ttir.typecast"(%4) : (tensor<8xi1>) -> tensor<8xi64>
  %6 = "ttir.subtract"(%1, %5) : (tensor<8xi64>, tensor<8xi64>) -> tensor<8xi64>
  %7 = "ttir.add"(%2, %0) : (tensor<8xi64>, tensor<1xi64>) -> tensor<8xi64>
  %8 = "ttir.where"(%4, %7, %2) : (tensor<8xi1>, tensor<8xi64>, tensor<8xi64>) -> tensor<8xi64>
  %9 = "ttir.lt"(%6, %3) : (tensor<8xi64>, tensor<1xi64>) -> tensor<8xi1>
  %10 = "ttir.full"() {fill_value = 16 : i32, shape = array<i32: 1>} : () -> tensor<1xi64>
  %11 = "ttir.add"(%6, %10) : (tensor<8xi64>, tensor<1xi64>) -> tensor<8xi64>
  %12 = "ttir.where"(%9, %11, %6) : (tensor<8xi1>, tensor<8xi64>, tensor<8xi64>) -> tensor<8xi64>
  %13 = "ttir.lt"(%8, %3) : (tensor<8xi64>, tensor<1xi64>) -> tensor<8xi1>
  %14 = "ttir.add"(%8, %0) : (tensor<8xi64>, tensor<1xi64>) -> tensor<8xi64>
  %15 = "ttir.where"(%13, %14, %8) : (tensor<8xi1>, tensor<8xi64>, tensor<8xi64>) -> tensor<8xi64>
  %16 = "ttir.multiply"(%12, %0) : (tensor<8xi64>, tensor<1xi64>) -> tensor<8xi64>
  %17 = "ttir.ge"(%15, %3) : (tensor<8xi64>, tensor<1xi64>) -> tensor<8xi1>
  %18 = "ttir.lt"(%15, %0) : (tensor<8xi64>, tensor<1xi64>) -> tensor<8xi1>
  %19 = "ttir.logical_and"(%17, %18) : (tensor<8xi1>, tensor<8xi1>) -> tensor<8xi1>
  %20 = "ttir.full"() {fill_value = 512 : i32, shape = array<i32: 1>} : () -> tensor<1xi64>
  %21 = "ttir.where"(%19, %15, %20) : (tensor<8xi1>, tensor<8xi64>, tensor<1xi64>) -> tensor<8xi64>
  %22 = "ttir.add"(%16, %21) : (tensor<8xi64>, tensor<8xi64>) -> tensor<8xi64>
  %23 = "ttir.reshape"(%x) {shape = [8 : i32, 1024 : i32]} : (tensor<8x8x128xbf16>) -> tensor<8x1024xbf16>
  %24 = "ttir.permute"(%held_k) {permutation = array<i64: 0, 2, 1, 3>} : (tensor<16x8x32x128xbf16>) -> tensor<16x32x8x128xbf16>
  %25 = "ttir.reshape"(%24) {shape = [512 : i32, 1024 : i32]} : (tensor<16x32x8x128xbf16>) -> tensor<512x1024xbf16>
  %26 = "ttir.reshape"(%22) {shape = [8 : i32, 1 : i32]} : (tensor<8xi64>) -> tensor<8x1xi64>
  %27 = "ttir.broadcast"(%26) {broadcast_dimensions = array<i64: 1, 1024>} : (tensor<8x1xi64>) -> tensor<8x1024xi64>
  %28 = "ttir.scatter"(%25, %27, %23) {dim = 0 : i32} : (tensor<512x1024xbf16>, tensor<8x1024xi64>, tensor<8x1024xbf16>) -> tensor<512x1024xbf16>
  %29 = "ttir.reshape"(%28) {shape = [16 : i32, 32 : i32, 8 : i32, 128 : i32]} : (tensor<512x1024xbf16>) -> tensor<16x32x8x128xbf16>
  %30 = "ttir.permute"(%29) {permutation = array<i64: 0, 2, 1, 3>} : (tensor<16x32x8x128xbf16>) -> tensor<16x8x32x128xbf16>
  %31 = "ttir.reshape"(%30) {shape = [16 : i32, 32768 : i32]} : (tensor<16x8x32x128xbf16>) -> tensor<16x32768xbf16>
  %32 = "ttir.embedding"(%12, %31) : (tensor<8xi64>, tensor<16x32768xbf16>) -> tensor<8x32768xbf16>
  %33 = "ttir.reshape"(%32) {shape = [8 : i32, 8 : i32, 32 : i32, 128 : i32]} : (tensor<8x32768xbf16>) -> tensor<8x8x32x128xbf16>
  %34 = "ttir.sum"(%33) {dim_arg = [2 : i32], keep_dim = false} : (tensor<8x8x32x128xbf16>) -> tensor<8x8x128xbf16>
  %35 = "ttir.assign"(%held_k, %30) : (tensor<16x8x32x128xbf16>, tensor<16x8x32x128xbf16>) -> tensor<16x8x32x128xbf16>
  return %34 : tensor<8x8x128xbf16>
}
