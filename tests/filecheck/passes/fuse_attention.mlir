// RUN: ttstack opt %s -p "fuse-attention,canonicalize" | filecheck %s
// Scores are scaled, then masked; the key is turned back. Rows that the mask hides with -inf become NaN, as softmax makes them.
// CHECK-LABEL: func.func @scaled_and_masked
// CHECK: [[K:%.+]] = "ttir.permute"(%arg1) {permutation = array<i64: 0, 1, 3, 2>}
// CHECK-NEXT: [[ZERO:%.+]] = "ttir.constant"() {value = dense<0.000000e+00>
// CHECK-NEXT: [[TOP:%.+]] = "ttir.max"(%arg3)
// CHECK-NEXT: [[NAN:%.+]] = "ttir.multiply"([[TOP]], [[ZERO]])
// CHECK-NEXT: [[M:%.+]] = "ttir.add"(%arg3, [[NAN]])
// CHECK-NEXT: [[A:%.+]] = "ttir.scaled_dot_product_attention"(%arg0, [[K]], %arg2, [[M]]) {is_causal = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0>, scale = 2.500000e-01 : f32}
// CHECK-NEXT: return [[A]]
func.func @scaled_and_masked(%q: tensor<2x4x8x16xf32>, %k: tensor<2x4x16x8xf32>, %v: tensor<2x4x8x16xf32>, %m: tensor<2x1x8x8xf32>) -> tensor<2x4x8x16xf32> {
  %c = "ttir.full"() {fill_value = 4.0 : f32, shape = array<i32: 1, 1, 1, 1>} : () -> tensor<1x1x1x1xf32>
  %0 = "ttir.matmul"(%q, %k) : (tensor<2x4x8x16xf32>, tensor<2x4x16x8xf32>) -> tensor<2x4x8x8xf32>
  %1 = "ttir.div"(%0, %c) : (tensor<2x4x8x8xf32>, tensor<1x1x1x1xf32>) -> tensor<2x4x8x8xf32>
  %2 = "ttir.add"(%1, %m) : (tensor<2x4x8x8xf32>, tensor<2x1x8x8xf32>) -> tensor<2x4x8x8xf32>
  %3 = "ttir.softmax"(%2) {dimension = -1 : si32} : (tensor<2x4x8x8xf32>) -> tensor<2x4x8x8xf32>
  %4 = "ttir.matmul"(%3, %v) : (tensor<2x4x8x8xf32>, tensor<2x4x8x16xf32>) -> tensor<2x4x8x16xf32>
  return %4 : tensor<2x4x8x16xf32>
}
// Keys and values that are repeated for groups of queries are read once.
// CHECK-LABEL: func.func @groups
// CHECK-NEXT: [[K:%.+]] = "ttir.reshape"(%arg1) {shape = [2 : i32, 2 : i32, 8 : i32, 16 : i32]}
// CHECK-NEXT: [[A:%.+]] = "ttir.scaled_dot_product_attention"(%arg0, [[K]], %arg2)
// CHECK-NEXT: return [[A]]
func.func @groups(%q: tensor<2x4x8x16xf32>, %k: tensor<2x2x1x8x16xf32>, %v: tensor<2x2x8x16xf32>) -> tensor<2x4x8x16xf32> {
  %0 = "ttir.broadcast"(%k) {broadcast_dimensions = array<i64: 1, 1, 2, 1, 1>} : (tensor<2x2x1x8x16xf32>) -> tensor<2x2x2x8x16xf32>
  %1 = "ttir.reshape"(%0) {shape = [2 : i32, 4 : i32, 8 : i32, 16 : i32]} : (tensor<2x2x2x8x16xf32>) -> tensor<2x4x8x16xf32>
  %2 = "ttir.repeat_interleave"(%v) {dim = 1 : si32, repeats = 2 : ui32} : (tensor<2x2x8x16xf32>) -> tensor<2x4x8x16xf32>
  %3 = "ttir.matmul"(%q, %1) {transpose_b = true} : (tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>) -> tensor<2x4x8x8xf32>
  %4 = "ttir.softmax"(%3) {dimension = 3 : si32} : (tensor<2x4x8x8xf32>) -> tensor<2x4x8x8xf32>
  %5 = "ttir.matmul"(%4, %2) : (tensor<2x4x8x8xf32>, tensor<2x4x8x16xf32>) -> tensor<2x4x8x16xf32>
  return %5 : tensor<2x4x8x16xf32>
}
// Scores that -1e4 takes the place of are hidden by -1e9, through which none shows; by two numbers that differ, they stay as they are.
// CHECK-LABEL: func.func @replaced
// CHECK: "ttir.constant"() {value = dense<-1.000000e+09> : tensor<1x1x1x1xf32>}
// CHECK: "ttir.scaled_dot_product_attention"
func.func @replaced(%q: tensor<2x4x8x16xf32>, %k: tensor<2x4x8x16xf32>, %v: tensor<2x4x8x16xf32>, %c: tensor<2x1x8x8xi1>) -> tensor<2x4x8x16xf32> {
  %n = "ttir.full"() {fill_value = -10000.0 : f32, shape = array<i32: 1, 1, 1, 1>} : () -> tensor<1x1x1x1xf32>
  %0 = "ttir.matmul"(%q, %k) {transpose_b = true} : (tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>) -> tensor<2x4x8x8xf32>
  %1 = "ttir.where"(%c, %0, %n) : (tensor<2x1x8x8xi1>, tensor<2x4x8x8xf32>, tensor<1x1x1x1xf32>) -> tensor<2x4x8x8xf32>
  %2 = "ttir.softmax"(%1) {dimension = -1 : si32} : (tensor<2x4x8x8xf32>) -> tensor<2x4x8x8xf32>
  %3 = "ttir.matmul"(%2, %v) : (tensor<2x4x8x8xf32>, tensor<2x4x8x16xf32>) -> tensor<2x4x8x16xf32>
  return %3 : tensor<2x4x8x16xf32>
}
// CHECK-LABEL: func.func @replaced_twice
// CHECK-NOT: attention
// CHECK: return
func.func @replaced_twice(%q: tensor<2x4x8x16xf32>, %k: tensor<2x4x8x16xf32>, %v: tensor<2x4x8x16xf32>, %c: tensor<2x1x8x8xi1>, %d: tensor<2x1x8x8xi1>) -> tensor<2x4x8x16xf32> {
  %n = "ttir.full"() {fill_value = -10000.0 : f32, shape = array<i32: 1, 1, 1, 1>} : () -> tensor<1x1x1x1xf32>
  %m = "ttir.full"() {fill_value = -1.0e9 : f32, shape = array<i32: 1, 1, 1, 1>} : () -> tensor<1x1x1x1xf32>
  %0 = "ttir.matmul"(%q, %k) {transpose_b = true} : (tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>) -> tensor<2x4x8x8xf32>
  %1 = "ttir.where"(%c, %0, %n) : (tensor<2x1x8x8xi1>, tensor<2x4x8x8xf32>, tensor<1x1x1x1xf32>) -> tensor<2x4x8x8xf32>
  %2 = "ttir.where"(%d, %1, %m) : (tensor<2x1x8x8xi1>, tensor<2x4x8x8xf32>, tensor<1x1x1x1xf32>) -> tensor<2x4x8x8xf32>
  %3 = "ttir.softmax"(%2) {dimension = -1 : si32} : (tensor<2x4x8x8xf32>) -> tensor<2x4x8x8xf32>
  %4 = "ttir.matmul"(%3, %v) : (tensor<2x4x8x8xf32>, tensor<2x4x8x16xf32>) -> tensor<2x4x8x16xf32>
  return %4 : tensor<2x4x8x16xf32>
}
// Weights that are read elsewhere, softmax of another dimension, and what is added for a score between, stay products.
// CHECK-LABEL: func.func @read_twice
// CHECK-NOT: attention
// CHECK: return
func.func @read_twice(%q: tensor<2x8x16xf32>, %k: tensor<2x8x16xf32>) -> (tensor<2x8x16xf32>, tensor<2x8x8xf32>) {
  %0 = "ttir.matmul"(%q, %k) {transpose_b = true} : (tensor<2x8x16xf32>, tensor<2x8x16xf32>) -> tensor<2x8x8xf32>
  %1 = "ttir.softmax"(%0) {dimension = 2 : si32} : (tensor<2x8x8xf32>) -> tensor<2x8x8xf32>
  %2 = "ttir.matmul"(%1, %k) : (tensor<2x8x8xf32>, tensor<2x8x16xf32>) -> tensor<2x8x16xf32>
  return %2, %1 : tensor<2x8x16xf32>, tensor<2x8x8xf32>
}
// CHECK-LABEL: func.func @other_dimension
// CHECK-NOT: attention
// CHECK: return
func.func @other_dimension(%q: tensor<2x8x16xf32>, %k: tensor<2x8x16xf32>) -> tensor<2x8x16xf32> {
  %0 = "ttir.matmul"(%q, %k) {transpose_b = true} : (tensor<2x8x16xf32>, tensor<2x8x16xf32>) -> tensor<2x8x8xf32>
  %1 = "ttir.softmax"(%0) {dimension = 1 : si32} : (tensor<2x8x8xf32>) -> tensor<2x8x8xf32>
  %2 = "ttir.matmul"(%1, %k) : (tensor<2x8x8xf32>, tensor<2x8x16xf32>) -> tensor<2x8x16xf32>
  return %2 : tensor<2x8x16xf32>
}
// CHECK-LABEL: func.func @bent
// CHECK-NOT: attention
// CHECK: return
func.func @bent(%q: tensor<2x8x16xf32>, %k: tensor<2x8x16xf32>) -> tensor<2x8x16xf32> {
  %0 = "ttir.matmul"(%q, %k) {transpose_b = true} : (tensor<2x8x16xf32>, tensor<2x8x16xf32>) -> tensor<2x8x8xf32>
  %1 = "ttir.tanh"(%0) : (tensor<2x8x8xf32>) -> tensor<2x8x8xf32>
  %2 = "ttir.softmax"(%1) {dimension = 2 : si32} : (tensor<2x8x8xf32>) -> tensor<2x8x8xf32>
  %3 = "ttir.matmul"(%2, %k) : (tensor<2x8x8xf32>, tensor<2x8x16xf32>) -> tensor<2x8x16xf32>
  return %3 : tensor<2x8x16xf32>
}
// What a mask of wider scores hides, narrower ones cannot hold; without a mask, widening for softmax alone is what the op does.
// CHECK-LABEL: func.func @wider_mask
// CHECK-NOT: attention
// CHECK: return
func.func @wider_mask(%q: tensor<2x8x16xbf16>, %k: tensor<2x8x16xbf16>, %m: tensor<2x8x8xf32>) -> tensor<2x8x16xbf16> {
  %0 = "ttir.matmul"(%q, %k) {transpose_b = true} : (tensor<2x8x16xbf16>, tensor<2x8x16xbf16>) -> tensor<2x8x8xbf16>
  %1 = "ttir.typecast"(%0) : (tensor<2x8x8xbf16>) -> tensor<2x8x8xf32>
  %2 = "ttir.add"(%1, %m) : (tensor<2x8x8xf32>, tensor<2x8x8xf32>) -> tensor<2x8x8xf32>
  %3 = "ttir.softmax"(%2) {dimension = 2 : si32} : (tensor<2x8x8xf32>) -> tensor<2x8x8xf32>
  %4 = "ttir.typecast"(%3) : (tensor<2x8x8xf32>) -> tensor<2x8x8xbf16>
  %5 = "ttir.matmul"(%4, %k) : (tensor<2x8x8xbf16>, tensor<2x8x16xbf16>) -> tensor<2x8x16xbf16>
  return %5 : tensor<2x8x16xbf16>
}
// CHECK-LABEL: func.func @wider_softmax
// CHECK: "ttir.scaled_dot_product_attention"
// CHECK: return
func.func @wider_softmax(%q: tensor<2x8x16xbf16>, %k: tensor<2x8x16xbf16>) -> tensor<2x8x16xbf16> {
  %0 = "ttir.matmul"(%q, %k) {transpose_b = true} : (tensor<2x8x16xbf16>, tensor<2x8x16xbf16>) -> tensor<2x8x8xbf16>
  %1 = "ttir.typecast"(%0) : (tensor<2x8x8xbf16>) -> tensor<2x8x8xf32>
  %2 = "ttir.softmax"(%1) {dimension = 2 : si32} : (tensor<2x8x8xf32>) -> tensor<2x8x8xf32>
  %3 = "ttir.typecast"(%2) : (tensor<2x8x8xf32>) -> tensor<2x8x8xbf16>
  %4 = "ttir.matmul"(%3, %k) : (tensor<2x8x8xbf16>, tensor<2x8x16xbf16>) -> tensor<2x8x16xbf16>
  return %4 : tensor<2x8x16xbf16>
}
// Numbers that queries and keys are multiplied by before they are moved are a part of the scale.
// CHECK-LABEL: func.func @scaled_queries
// CHECK: [[Q:%.+]] = "ttir.permute"({{.*}}) {permutation = array<i64: 0, 2, 1, 3>} : (tensor<2x8x4x16xf32>)
// CHECK-NEXT: [[A:%.+]] = "ttir.scaled_dot_product_attention"([[Q]], %arg1, %arg2) {operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>, scale = 7.500000e-01 : f32}
// CHECK-NEXT: return [[A]]
func.func @scaled_queries(%x: tensor<2x8x64xf32>, %k: tensor<2x4x8x16xf32>, %v: tensor<2x4x8x16xf32>) -> tensor<2x4x8x16xf32> {
  %three = "ttir.full"() {fill_value = 3.0 : f32, shape = array<i32: 1, 1, 1>} : () -> tensor<1x1x1xf32>
  %0 = "ttir.multiply"(%x, %three) : (tensor<2x8x64xf32>, tensor<1x1x1xf32>) -> tensor<2x8x64xf32>
  %1 = "ttir.reshape"(%0) {shape = [2 : i32, 8 : i32, 4 : i32, 16 : i32]} : (tensor<2x8x64xf32>) -> tensor<2x8x4x16xf32>
  %2 = "ttir.permute"(%1) {permutation = array<i64: 0, 2, 1, 3>} : (tensor<2x8x4x16xf32>) -> tensor<2x4x8x16xf32>
  %3 = "ttir.scaled_dot_product_attention"(%2, %k, %v) {is_causal = true, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>} : (tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>) -> tensor<2x4x8x16xf32>
  return %3 : tensor<2x4x8x16xf32>
}
// By nothing, or what differs, they are not.
// CHECK-LABEL: func.func @other_factors
// CHECK-COUNT-2: "ttir.multiply"
// CHECK: return
func.func @other_factors(%q: tensor<2x4x8x16xf32>, %k: tensor<2x4x8x16xf32>, %v: tensor<2x4x8x16xf32>, %row: tensor<1x1x1x16xf32>) -> tensor<2x4x8x16xf32> {
  %zero = "ttir.full"() {fill_value = 0.0 : f32, shape = array<i32: 1, 1, 1, 1>} : () -> tensor<1x1x1x1xf32>
  %0 = "ttir.multiply"(%q, %row) : (tensor<2x4x8x16xf32>, tensor<1x1x1x16xf32>) -> tensor<2x4x8x16xf32>
  %1 = "ttir.multiply"(%k, %zero) : (tensor<2x4x8x16xf32>, tensor<1x1x1x1xf32>) -> tensor<2x4x8x16xf32>
  %2 = "ttir.scaled_dot_product_attention"(%0, %1, %v) {is_causal = true, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>} : (tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>) -> tensor<2x4x8x16xf32>
  return %2 : tensor<2x4x8x16xf32>
}
