// RUN: ttstack opt %s -p "fold-identities,fuse" | filecheck %s
// CHECK-LABEL: func.func @bounded
// CHECK: "ttir.matmul"{{.*}}activation = "relu6"
// CHECK-NEXT: "ttir.clamp_scalar"{{.*}}max = 2.000000e+00 : f32, min = -2.000000e+00
// CHECK-NEXT: return
func.func @bounded(%x: tensor<32x32xf32>) -> tensor<32x32xf32> {
  %0 = "ttir.full"() {fill_value = 0.0 : f32, shape = array<i32>} : () -> tensor<f32>
  %6 = "ttir.full"() {fill_value = 6.0 : f32, shape = array<i32>} : () -> tensor<f32>
  %p = "ttir.matmul"(%x, %x) : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
  %1 = "ttir.clamp_tensor"(%p, %0, %6) : (tensor<32x32xf32>, tensor<f32>, tensor<f32>) -> tensor<32x32xf32>
  %2 = "ttir.clamp_scalar"(%1) {min = -2.0 : f32, max = 2.0 : f32} : (tensor<32x32xf32>) -> tensor<32x32xf32>
  return %2 : tensor<32x32xf32>
}
// CHECK-LABEL: func.func @others
// CHECK: "ttir.clamp_tensor"
// CHECK: "ttir.clamp_scalar"
// CHECK-NOT: relu6
func.func @others(%x: tensor<32xf32>, %low: tensor<32xf32>, %i: tensor<8xi32>) -> (tensor<32xf32>, tensor<8xi32>) {
  %6 = "ttir.full"() {fill_value = 6.0 : f32, shape = array<i32>} : () -> tensor<f32>
  %1 = "ttir.clamp_tensor"(%x, %low, %6) : (tensor<32xf32>, tensor<32xf32>, tensor<f32>) -> tensor<32xf32>
  %2 = "ttir.clamp_scalar"(%i) {min = 0 : i32, max = 6 : i32} : (tensor<8xi32>) -> tensor<8xi32>
  return %1, %2 : tensor<32xf32>, tensor<8xi32>
}
