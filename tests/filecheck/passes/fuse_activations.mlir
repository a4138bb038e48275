// RUN: ttstack opt %s -p "fuse-activations" | filecheck %s
// An activation of a sum, and one of each operand of a product.
// CHECK-LABEL: func.func @gated
// CHECK-NEXT: [[SUM:%.+]] = "ttir.activated_add"(%arg0, %arg1) {activation = "relu"}
// CHECK-NEXT: [[GATED:%.+]] = "ttir.activated_multiply"([[SUM]], %arg0) {lhs_activation = "silu", rhs_activation = "tanh"}
// CHECK-NEXT: return [[GATED]]
func.func @gated(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = "ttir.add"(%x, %y) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %1 = "ttir.relu"(%0) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %2 = "ttir.silu"(%1) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %3 = "ttir.tanh"(%x) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %4 = "ttir.multiply"(%2, %3) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  return %4 : tensor<4x8xf32>
}
// What is read elsewhere, repeated, or no function of two elements, stays.
// CHECK-LABEL: func.func @stay
// CHECK-NOT: activated
// CHECK: return
func.func @stay(%x: tensor<4x8xf32>, %r: tensor<1x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) {
  %0 = "ttir.add"(%x, %r) : (tensor<4x8xf32>, tensor<1x8xf32>) -> tensor<4x8xf32>
  %1 = "ttir.relu"(%0) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %2 = "ttir.multiply"(%0, %1) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %3 = "ttir.sigmoid"(%r) : (tensor<1x8xf32>) -> tensor<1x8xf32>
  %4 = "ttir.multiply"(%2, %3) : (tensor<4x8xf32>, tensor<1x8xf32>) -> tensor<4x8xf32>
  %5 = "ttir.exp"(%x) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %6 = "ttir.add"(%5, %x) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  return %4, %6, %1 : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>
}
