// RUN: ttstack opt %s -p "fuse" | filecheck %s
// CHECK-LABEL: func.func @sigmoids
// CHECK-NEXT: [[A:%.+]] = "ttir.sigmoid"(%arg0)
// CHECK-NEXT: [[B:%.+]] = "ttir.sigmoid"(%arg0)
// CHECK-NEXT: return [[A]], [[B]]
func.func @sigmoids(%x: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %c = "ttir.full"() {fill_value = 1.0 : f32, shape = array<i32: 1, 1>} : () -> tensor<1x1xf32>
  %0 = "ttir.neg"(%x) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %1 = "ttir.exp"(%0) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %2 = "ttir.add"(%1, %c) : (tensor<4x8xf32>, tensor<1x1xf32>) -> tensor<4x8xf32>
  %3 = "ttir.div"(%c, %2) : (tensor<1x1xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %4 = "ttir.reciprocal"(%2) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %3, %4 : tensor<4x8xf32>, tensor<4x8xf32>
}
// SiLU of a product is its activation.
// CHECK-LABEL: func.func @silus
// CHECK-NEXT: [[A:%.+]] = "ttir.matmul"(%arg0, %arg1) {activation = "silu"}
// CHECK-NEXT: [[B:%.+]] = "ttir.silu"(%arg0)
// CHECK-NEXT: return [[A]], [[B]]
func.func @silus(%x: tensor<8x8xf32>, %w: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  %c = "ttir.full"() {fill_value = 1.0 : f32, shape = array<i32: 1, 1>} : () -> tensor<1x1xf32>
  %p = "ttir.matmul"(%x, %w) : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %0 = "ttir.sigmoid"(%p) : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = "ttir.multiply"(%0, %p) : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %2 = "ttir.neg"(%x) : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %3 = "ttir.exp"(%2) : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %4 = "ttir.add"(%c, %3) : (tensor<1x1xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %5 = "ttir.div"(%x, %4) : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  return %1, %5 : tensor<8x8xf32>, tensor<8x8xf32>
}
// CHECK-LABEL: func.func @others
// CHECK-NOT: silu
// CHECK: return
func.func @others(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %two = "ttir.full"() {fill_value = 2.0 : f32, shape = array<i32: 1, 1>} : () -> tensor<1x1xf32>
  %0 = "ttir.sigmoid"(%y) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %1 = "ttir.multiply"(%0, %x) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %2 = "ttir.neg"(%x) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %3 = "ttir.exp"(%2) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %4 = "ttir.add"(%two, %3) : (tensor<1x1xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %5 = "ttir.div"(%x, %4) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  return %1, %5 : tensor<4x8xf32>, tensor<4x8xf32>
}
