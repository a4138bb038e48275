// RUN: ttstack opt %s -p "canonicalize-movement" | filecheck %s
// CHECK-LABEL: func.func @views
// CHECK-NEXT: "ttir.reshape"(%arg0) {shape = [2 : i32, 1 : i32, 16 : i32]}
// CHECK-NEXT: return
func.func @views(%a: tensor<2x16xf32>) -> tensor<2x1x16xf32> {
  %0 = "ttir.reshape"(%a) {shape = [32 : i32, 1 : i32]} : (tensor<2x16xf32>) -> tensor<32x1xf32>
  %1 = "ttir.reshape"(%0) {shape = [2 : i32, 1 : i32, 1 : i32, 16 : i32]} : (tensor<32x1xf32>) -> tensor<2x1x1x16xf32>
  %2 = "ttir.squeeze"(%1) {dim = 1 : si32} : (tensor<2x1x1x16xf32>) -> tensor<2x1x16xf32>
  return %2 : tensor<2x1x16xf32>
}
// CHECK-LABEL: func.func @there_and_back
// CHECK-NEXT: return %arg0
func.func @there_and_back(%a: tensor<2x16xf32>) -> tensor<2x16xf32> {
  %0 = "ttir.unsqueeze"(%a) {dim = 1 : si32} : (tensor<2x16xf32>) -> tensor<2x1x16xf32>
  %1 = "ttir.squeeze"(%0) {dim = 1 : si32} : (tensor<2x1x16xf32>) -> tensor<2x16xf32>
  return %1 : tensor<2x16xf32>
}
// CHECK-LABEL: func.func @rows_that_follow_one_another
// CHECK: %[[ROWS:.*]] = "ttir.slice_static"(%arg0) {begins = [3 : i32, 0 : i32], ends = [5 : i32, 8 : i32]
// CHECK-NEXT: "ttir.reshape"(%[[ROWS]]) {shape = [1 : i32, 2 : i32, 8 : i32]}
func.func @rows_that_follow_one_another(%table: tensor<6x8xf32>) -> tensor<1x2x8xf32> {
  %0 = "ttir.constant"() {value = dense<[[3, 4]]> : tensor<1x2xi32>} : () -> tensor<1x2xi32>
  %1 = "ttir.embedding"(%0, %table) : (tensor<1x2xi32>, tensor<6x8xf32>) -> tensor<1x2x8xf32>
  return %1 : tensor<1x2x8xf32>
}
// CHECK-LABEL: func.func @all_rows
// CHECK-NEXT: return %arg0
func.func @all_rows(%table: tensor<2x8xf32>) -> tensor<2x8xf32> {
  %0 = "ttir.constant"() {value = dense<[0, 1]> : tensor<2xi32>} : () -> tensor<2xi32>
  %1 = "ttir.embedding"(%0, %table) : (tensor<2xi32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  return %1 : tensor<2x8xf32>
}
// Rows in another order stay a lookup, and so do rows that are not there: the run says so.
// CHECK-LABEL: func.func @other_rows
// CHECK-COUNT-2: "ttir.embedding"
func.func @other_rows(%table: tensor<6x8xf32>) -> (tensor<2x8xf32>, tensor<2x8xf32>) {
  %0 = "ttir.constant"() {value = dense<[4, 3]> : tensor<2xi32>} : () -> tensor<2xi32>
  %1 = "ttir.embedding"(%0, %table) : (tensor<2xi32>, tensor<6x8xf32>) -> tensor<2x8xf32>
  %2 = "ttir.constant"() {value = dense<[5, 6]> : tensor<2xi32>} : () -> tensor<2xi32>
  %3 = "ttir.embedding"(%2, %table) : (tensor<2xi32>, tensor<6x8xf32>) -> tensor<2x8xf32>
  return %1, %3 : tensor<2x8xf32>, tensor<2x8xf32>
}
// There and back, with views between.
// CHECK-LABEL: func.func @permuted_back
// CHECK-NEXT: "ttir.reshape"(%arg0) {shape = [6 : i32, 4 : i32]}
// CHECK-NEXT: return
func.func @permuted_back(%a: tensor<2x3x4xf32>) -> tensor<6x4xf32> {
  %0 = "ttir.permute"(%a) {permutation = array<i64: 2, 0, 1>} : (tensor<2x3x4xf32>) -> tensor<4x2x3xf32>
  %1 = "ttir.reshape"(%0) {shape = [4 : i32, 6 : i32]} : (tensor<4x2x3xf32>) -> tensor<4x6xf32>
  %2 = "ttir.transpose"(%1) {dim0 = 0 : si32, dim1 = 1 : si32} : (tensor<4x6xf32>) -> tensor<6x4xf32>
  return %2 : tensor<6x4xf32>
}
// Whole tiles move where elements would.
// CHECK-LABEL: func.func @whole_tiles
// CHECK: "ttir.permute"({{.*}}) {permutation = array<i64: 1, 0>} : (tensor<3x4096xf32>)
func.func @whole_tiles(%a: tensor<1x3x64x64xf32>) -> tensor<1x1x4096x3xf32> {
  %0 = "ttir.permute"(%a) {permutation = array<i64: 0, 2, 3, 1>} : (tensor<1x3x64x64xf32>) -> tensor<1x64x64x3xf32>
  %1 = "ttir.reshape"(%0) {shape = [1 : i32, 1 : i32, 4096 : i32, 3 : i32]} : (tensor<1x64x64x3xf32>) -> tensor<1x1x4096x3xf32>
  return %1 : tensor<1x1x4096x3xf32>
}
// One permutation of the axes that there are, where views and a permutation of others spell it.
// CHECK-LABEL: func.func @one_permutation
// CHECK-NEXT: "ttir.permute"(%arg0) {permutation = array<i64: 1, 0, 2, 3>}
// CHECK-NEXT: return
func.func @one_permutation(%a: tensor<2x3x32x64xf32>) -> tensor<3x2x32x64xf32> {
  %0 = "ttir.reshape"(%a) {shape = [2 : i32, 3 : i32, 2048 : i32]} : (tensor<2x3x32x64xf32>) -> tensor<2x3x2048xf32>
  %1 = "ttir.permute"(%0) {permutation = array<i64: 1, 0, 2>} : (tensor<2x3x2048xf32>) -> tensor<3x2x2048xf32>
  %2 = "ttir.reshape"(%1) {shape = [3 : i32, 2 : i32, 32 : i32, 64 : i32]} : (tensor<3x2x2048xf32>) -> tensor<3x2x32x64xf32>
  return %2 : tensor<3x2x32x64xf32>
}
// CHECK-LABEL: func.func @transposed_twice
// CHECK-NEXT: return %arg0
func.func @transposed_twice(%a: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  %0 = "ttir.transpose"(%a) {dim0 = 0 : si32, dim1 = 2 : si32} : (tensor<2x3x4xf32>) -> tensor<4x3x2xf32>
  %1 = "ttir.transpose"(%0) {dim0 = -1 : si32, dim1 = 0 : si32} : (tensor<4x3x2xf32>) -> tensor<2x3x4xf32>
  return %1 : tensor<2x3x4xf32>
}
