// RUN: ttstack opt %s -p "fuse" | filecheck %s
// CHECK-LABEL: func.func @rms_norm
// CHECK: [[N:%.+]] = "ttir.rms_norm"(%arg0, %arg1) {epsilon = 9.99999997E-7 : f32, normalized_shape = array<i64: 8>
// CHECK-NEXT: return [[N]]
func.func @rms_norm(%x: tensor<4x8xf32>, %w: tensor<8xf32>) -> tensor<4x8xf32> {
  %e = "ttir.full"() {fill_value = 9.99999997E-7 : f32, shape = array<i32: 1, 1>} : () -> tensor<1x1xf32>
  %0 = "ttir.multiply"(%x, %x) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %1 = "ttir.mean"(%0) {dim_arg = [-1 : i32], keep_dim = true} : (tensor<4x8xf32>) -> tensor<4x1xf32>
  %2 = "ttir.add"(%1, %e) : (tensor<4x1xf32>, tensor<1x1xf32>) -> tensor<4x1xf32>
  %3 = "ttir.rsqrt"(%2) : (tensor<4x1xf32>) -> tensor<4x1xf32>
  %4 = "ttir.multiply"(%x, %3) : (tensor<4x8xf32>, tensor<4x1xf32>) -> tensor<4x8xf32>
  %5 = "ttir.multiply"(%w, %4) : (tensor<8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  return %5 : tensor<4x8xf32>
}
// What is widened for the norm alone need not be.
// CHECK-LABEL: func.func @widened
// CHECK-NEXT: [[N:%.+]] = "ttir.rms_norm"(%arg0, %arg1) {{.*}} : (tensor<4x8xbf16>, tensor<8xbf16>) -> tensor<4x8xbf16>
// CHECK-NEXT: return [[N]]
func.func @widened(%x: tensor<4x8xbf16>, %w: tensor<8xbf16>) -> tensor<4x8xbf16> {
  %e = "ttir.full"() {fill_value = 1.0e-05 : f32, shape = array<i32: 1, 1>} : () -> tensor<1x1xf32>
  %f = "ttir.typecast"(%x) : (tensor<4x8xbf16>) -> tensor<4x8xf32>
  %0 = "ttir.square"(%f) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %1 = "ttir.mean"(%0) {dim_arg = [1 : i32], keep_dim = true} : (tensor<4x8xf32>) -> tensor<4x1xf32>
  %2 = "ttir.add"(%e, %1) : (tensor<1x1xf32>, tensor<4x1xf32>) -> tensor<4x1xf32>
  %3 = "ttir.rsqrt"(%2) : (tensor<4x1xf32>) -> tensor<4x1xf32>
  %4 = "ttir.multiply"(%3, %f) : (tensor<4x1xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %5 = "ttir.typecast"(%4) : (tensor<4x8xf32>) -> tensor<4x8xbf16>
  %6 = "ttir.multiply"(%5, %w) : (tensor<4x8xbf16>, tensor<8xbf16>) -> tensor<4x8xbf16>
  return %6 : tensor<4x8xbf16>
}
// Statistics of another tensor, of another dimension, or without an epsilon that is known, make no norm of it.
// CHECK-LABEL: func.func @no_norm
// CHECK-NOT: rms_norm
// CHECK: return
func.func @no_norm(%x: tensor<8x8xf32>, %y: tensor<8x8xf32>, %e: tensor<8x1xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>) {
  %c = "ttir.full"() {fill_value = 1.0e-05 : f32, shape = array<i32: 1, 1>} : () -> tensor<1x1xf32>
  %0 = "ttir.square"(%x) : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = "ttir.mean"(%0) {dim_arg = [1 : i32], keep_dim = true} : (tensor<8x8xf32>) -> tensor<8x1xf32>
  %2 = "ttir.add"(%1, %c) : (tensor<8x1xf32>, tensor<1x1xf32>) -> tensor<8x1xf32>
  %3 = "ttir.rsqrt"(%2) : (tensor<8x1xf32>) -> tensor<8x1xf32>
  %4 = "ttir.multiply"(%y, %3) : (tensor<8x8xf32>, tensor<8x1xf32>) -> tensor<8x8xf32>
  %5 = "ttir.mean"(%0) {dim_arg = [0 : i32], keep_dim = true} : (tensor<8x8xf32>) -> tensor<1x8xf32>
  %6 = "ttir.add"(%5, %c) : (tensor<1x8xf32>, tensor<1x1xf32>) -> tensor<1x8xf32>
  %7 = "ttir.rsqrt"(%6) : (tensor<1x8xf32>) -> tensor<1x8xf32>
  %8 = "ttir.multiply"(%x, %7) : (tensor<8x8xf32>, tensor<1x8xf32>) -> tensor<8x8xf32>
  %9 = "ttir.add"(%1, %e) : (tensor<8x1xf32>, tensor<8x1xf32>) -> tensor<8x1xf32>
  %10 = "ttir.rsqrt"(%9) : (tensor<8x1xf32>) -> tensor<8x1xf32>
  %11 = "ttir.multiply"(%x, %10) : (tensor<8x8xf32>, tensor<8x1xf32>) -> tensor<8x8xf32>
  return %4, %8, %11 : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>
}
