// RUN: ttstack opt %s -p "fold-masks,canonicalize" | filecheck %s
// CHECK-LABEL: func.func @causal
// CHECK-NEXT: "ttir.scaled_dot_product_attention"(%arg0, %arg0, %arg0)
// CHECK-NOT: is_causal = false
// CHECK: return
func.func @causal(%x: tensor<1x2x8x4xf32>) -> tensor<1x2x8x4xf32> {
  %row = "ttir.arange"() {start = 0 : si64, end = 8 : si64, step = 1 : si64, arange_dimension = 0 : i64} : () -> tensor<8x1xi32>
  %column = "ttir.arange"() {start = 0 : si64, end = 8 : si64, step = 1 : si64, arange_dimension = 1 : i64} : () -> tensor<1x8xi32>
  %seen = "ttir.ge"(%row, %column) : (tensor<8x1xi32>, tensor<1x8xi32>) -> tensor<8x8xi1>
  %all = "ttir.zeros"() {shape = array<i32: 1, 1>} : () -> tensor<1x1xf32>
  %none = "ttir.full"() {fill_value = 0xFF800000 : f32, shape = array<i32: 1, 1>} : () -> tensor<1x1xf32>
  %0 = "ttir.where"(%seen, %all, %none) : (tensor<8x8xi1>, tensor<1x1xf32>, tensor<1x1xf32>) -> tensor<8x8xf32>
  %mask = "ttir.reshape"(%0) {shape = [1 : i32, 1 : i32, 8 : i32, 8 : i32]} : (tensor<8x8xf32>) -> tensor<1x1x8x8xf32>
  %1 = "ttir.scaled_dot_product_attention"(%x, %x, %x, %mask) {is_causal = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0>} : (tensor<1x2x8x4xf32>, tensor<1x2x8x4xf32>, tensor<1x2x8x4xf32>, tensor<1x1x8x8xf32>) -> tensor<1x2x8x4xf32>
  return %1 : tensor<1x2x8x4xf32>
}
// A mask that shows the next token, and one that the model is given, stay.
// CHECK-LABEL: func.func @other_masks
// CHECK-COUNT-2: is_causal = false
func.func @other_masks(%x: tensor<1x2x8x4xf32>, %given: tensor<1x1x8x8xf32>) -> (tensor<1x2x8x4xf32>, tensor<1x2x8x4xf32>) {
  %row = "ttir.arange"() {start = 1 : si64, end = 9 : si64, step = 1 : si64, arange_dimension = 0 : i64} : () -> tensor<8x1xi32>
  %column = "ttir.arange"() {start = 0 : si64, end = 8 : si64, step = 1 : si64, arange_dimension = 1 : i64} : () -> tensor<1x8xi32>
  %seen = "ttir.ge"(%row, %column) : (tensor<8x1xi32>, tensor<1x8xi32>) -> tensor<8x8xi1>
  %all = "ttir.zeros"() {shape = array<i32: 1, 1>} : () -> tensor<1x1xf32>
  %none = "ttir.full"() {fill_value = 0xFF800000 : f32, shape = array<i32: 1, 1>} : () -> tensor<1x1xf32>
  %0 = "ttir.where"(%seen, %all, %none) : (tensor<8x8xi1>, tensor<1x1xf32>, tensor<1x1xf32>) -> tensor<8x8xf32>
  %mask = "ttir.reshape"(%0) {shape = [1 : i32, 1 : i32, 8 : i32, 8 : i32]} : (tensor<8x8xf32>) -> tensor<1x1x8x8xf32>
  %1 = "ttir.scaled_dot_product_attention"(%x, %x, %x, %mask) {is_causal = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0>} : (tensor<1x2x8x4xf32>, tensor<1x2x8x4xf32>, tensor<1x2x8x4xf32>, tensor<1x1x8x8xf32>) -> tensor<1x2x8x4xf32>
  %2 = "ttir.scaled_dot_product_attention"(%x, %x, %x, %given) {is_causal = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0>} : (tensor<1x2x8x4xf32>, tensor<1x2x8x4xf32>, tensor<1x2x8x4xf32>, tensor<1x1x8x8xf32>) -> tensor<1x2x8x4xf32>
  return %1, %2 : tensor<1x2x8x4xf32>, tensor<1x2x8x4xf32>
}
// A mask that hides nothing is left out.
// CHECK-LABEL: func.func @nothing_hidden
// CHECK: "ttir.scaled_dot_product_attention"(%arg0, %arg0, %arg0) {{.*}}is_causal = false
func.func @nothing_hidden(%x: tensor<1x2x8x4xf32>) -> tensor<1x2x8x4xf32> {
  %all = "ttir.ones"() {shape = array<i32: 8, 8>} : () -> tensor<8x8xi1>
  %zero = "ttir.zeros"() {shape = array<i32: 1, 1>} : () -> tensor<1x1xf32>
  %none = "ttir.full"() {fill_value = 0xFF800000 : f32, shape = array<i32: 1, 1>} : () -> tensor<1x1xf32>
  %0 = "ttir.where"(%all, %zero, %none) : (tensor<8x8xi1>, tensor<1x1xf32>, tensor<1x1xf32>) -> tensor<8x8xf32>
  %mask = "ttir.reshape"(%0) {shape = [1 : i32, 1 : i32, 8 : i32, 8 : i32]} : (tensor<8x8xf32>) -> tensor<1x1x8x8xf32>
  %1 = "ttir.scaled_dot_product_attention"(%x, %x, %x, %mask) {is_causal = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0>} : (tensor<1x2x8x4xf32>, tensor<1x2x8x4xf32>, tensor<1x2x8x4xf32>, tensor<1x1x8x8xf32>) -> tensor<1x2x8x4xf32>
  return %1 : tensor<1x2x8x4xf32>
}
