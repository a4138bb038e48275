// RUN: ttstack opt %s -p "fuse" | filecheck %s
// CHECK-LABEL: func.func @softmax
// CHECK-NEXT: [[S:%.+]] = "ttir.softmax"(%arg0) {dimension = 1 : si32, numericStable = true}
// CHECK-NEXT: return [[S]]
func.func @softmax(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = "ttir.max"(%x) {dim_arg = [1 : i32], keep_dim = true} : (tensor<4x8xf32>) -> tensor<4x1xf32>
  %1 = "ttir.subtract"(%x, %0) : (tensor<4x8xf32>, tensor<4x1xf32>) -> tensor<4x8xf32>
  %2 = "ttir.exp"(%1) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %3 = "ttir.sum"(%2) {dim_arg = [1 : i32], keep_dim = true} : (tensor<4x8xf32>) -> tensor<4x1xf32>
  %4 = "ttir.div"(%2, %3) : (tensor<4x8xf32>, tensor<4x1xf32>) -> tensor<4x8xf32>
  return %4 : tensor<4x8xf32>
}
// The maximum of something else, or along another dimension, makes no softmax.
// CHECK-LABEL: func.func @no_softmax
// CHECK-NOT: softmax
// CHECK: return
func.func @no_softmax(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = "ttir.max"(%x) {dim_arg = [0 : i32], keep_dim = true} : (tensor<4x4xf32>) -> tensor<1x4xf32>
  %1 = "ttir.subtract"(%x, %0) : (tensor<4x4xf32>, tensor<1x4xf32>) -> tensor<4x4xf32>
  %2 = "ttir.exp"(%1) : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %3 = "ttir.sum"(%2) {dim_arg = [1 : i32], keep_dim = true} : (tensor<4x4xf32>) -> tensor<4x1xf32>
  %4 = "ttir.div"(%2, %3) : (tensor<4x4xf32>, tensor<4x1xf32>) -> tensor<4x4xf32>
  return %4 : tensor<4x4xf32>
}
// A sum over the number of its terms is a mean; of another number it stays a sum.
// CHECK-LABEL: func.func @layer_norm
// CHECK-NEXT: [[N:%.+]] = "ttir.layer_norm"(%arg0, %arg1, %arg2) {epsilon = 9.99999974E-6 : f32, normalized_shape = array<i64: 8>
// CHECK-NEXT: return [[N]]
func.func @layer_norm(%x: tensor<4x8xf32>, %w: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<4x8xf32> {
  %n = "ttir.full"() {fill_value = 8.0 : f32, shape = array<i32: 1, 1>} : () -> tensor<1x1xf32>
  %e = "ttir.full"() {fill_value = 9.99999974E-6 : f32, shape = array<i32: 1, 1>} : () -> tensor<1x1xf32>
  %0 = "ttir.sum"(%x) {dim_arg = [1 : i32], keep_dim = true} : (tensor<4x8xf32>) -> tensor<4x1xf32>
  %1 = "ttir.div"(%0, %n) : (tensor<4x1xf32>, tensor<1x1xf32>) -> tensor<4x1xf32>
  %2 = "ttir.subtract"(%x, %1) : (tensor<4x8xf32>, tensor<4x1xf32>) -> tensor<4x8xf32>
  %3 = "ttir.multiply"(%2, %2) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %4 = "ttir.sum"(%3) {dim_arg = [1 : i32], keep_dim = true} : (tensor<4x8xf32>) -> tensor<4x1xf32>
  %5 = "ttir.div"(%4, %n) : (tensor<4x1xf32>, tensor<1x1xf32>) -> tensor<4x1xf32>
  %6 = "ttir.add"(%5, %e) : (tensor<4x1xf32>, tensor<1x1xf32>) -> tensor<4x1xf32>
  %7 = "ttir.rsqrt"(%6) : (tensor<4x1xf32>) -> tensor<4x1xf32>
  %8 = "ttir.multiply"(%2, %7) : (tensor<4x8xf32>, tensor<4x1xf32>) -> tensor<4x8xf32>
  %9 = "ttir.multiply"(%8, %w) : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  %10 = "ttir.add"(%9, %b) : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  return %10 : tensor<4x8xf32>
}
// CHECK-LABEL: func.func @no_mean
// CHECK-NOT: mean
// CHECK: return
func.func @no_mean(%x: tensor<4x8xf32>) -> tensor<4x1xf32> {
  %n = "ttir.full"() {fill_value = 7.0 : f32, shape = array<i32: 1, 1>} : () -> tensor<1x1xf32>
  %0 = "ttir.sum"(%x) {dim_arg = [1 : i32], keep_dim = true} : (tensor<4x8xf32>) -> tensor<4x1xf32>
  %1 = "ttir.div"(%0, %n) : (tensor<4x1xf32>, tensor<1x1xf32>) -> tensor<4x1xf32>
  return %1 : tensor<4x1xf32>
}
