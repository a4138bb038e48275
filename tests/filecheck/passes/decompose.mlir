// RUN: ttstack opt %s -p "decompose" | filecheck %s
// CHECK-LABEL: func.func @batched
// CHECK: [[A:%.+]] = "ttir.permute"(%arg0) {permutation = array<i64: 1, 0, 2>} {{.*}} -> tensor<2x3x4xf32>
// CHECK-NEXT: [[P:%.+]] = "ttir.matmul"([[A]], %arg1) {{.*}} -> tensor<2x3x5xf32>
// CHECK-NEXT: return [[P]]
func.func @batched(%a: tensor<3x2x4xf32>, %b: tensor<2x4x5xf32>) -> tensor<2x3x5xf32> {
  %0 = "ttir.dot_general"(%a, %b) <{batch_dims_lhs = array<i64: 1>, contract_dims_lhs = array<i64: 2>, batch_dims_rhs = array<i64: 0>, contract_dims_rhs = array<i64: 1>}> : (tensor<3x2x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
  return %0 : tensor<2x3x5xf32>
}
// CHECK-LABEL: func.func @two_contracted
// CHECK: "ttir.reshape"(%arg0) {shape = [2 : i32, 12 : i32]}
// CHECK: "ttir.reshape"(%arg1) {shape = [12 : i32, 5 : i32]}
// CHECK: [[P:%.+]] = "ttir.matmul"
// CHECK-NEXT: return [[P]] : tensor<2x5xf32>
func.func @two_contracted(%a: tensor<2x3x4xf32>, %b: tensor<3x4x5xf32>) -> tensor<2x5xf32> {
  %0 = "ttir.dot_general"(%a, %b) <{batch_dims_lhs = array<i64>, contract_dims_lhs = array<i64: 1, 2>, batch_dims_rhs = array<i64>, contract_dims_rhs = array<i64: 0, 1>}> : (tensor<2x3x4xf32>, tensor<3x4x5xf32>) -> tensor<2x5xf32>
  return %0 : tensor<2x5xf32>
}
