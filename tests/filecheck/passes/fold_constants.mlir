// RUN: ttstack opt %s -p "fold-constants" | filecheck %s
// RUN: ttstack opt %s -p "fold-constants{max-bytes=8}" | filecheck %s --check-prefix=SMALL
// CHECK-LABEL: func.func @chain
// CHECK: "ttir.constant"() {value = dense<[3.000000e+00, 4.000000e+00, 5.000000e+00, 6.000000e+00]> : tensor<4xf32>}
// CHECK-NEXT: return
// SMALL-LABEL: func.func @chain
// SMALL: "ttir.arange"
// SMALL: "ttir.add"
func.func @chain() -> tensor<4xf32> {
  %0 = "ttir.arange"() {start = 1 : si64, end = 5 : si64, step = 1 : si64, arange_dimension = 0 : i64} : () -> tensor<4xf32>
  %1 = "ttir.full"() {shape = array<i32: 1>, fill_value = 2.0 : f32} : () -> tensor<1xf32>
  %2 = "ttir.add"(%0, %1) : (tensor<4xf32>, tensor<1xf32>) -> tensor<4xf32>
  return %2 : tensor<4xf32>
}
// CHECK-LABEL: func.func @not_of_arguments
// CHECK-NEXT: "ttir.constant"
// CHECK-NEXT: "ttir.add"(%arg0
func.func @not_of_arguments(%a: tensor<bf16>) -> tensor<bf16> {
  %0 = "ttir.ones"() {shape = array<i32>} : () -> tensor<bf16>
  %1 = "ttir.add"(%a, %0) : (tensor<bf16>, tensor<bf16>) -> tensor<bf16>
  return %1 : tensor<bf16>
}
// What a kernel refuses stays, for the run to say so.
// CHECK-LABEL: func.func @out_of_range
// CHECK: "ttir.embedding"
func.func @out_of_range() -> tensor<1x2xf32> {
  %0 = "ttir.constant"() {value = dense<7> : tensor<1xi32>} : () -> tensor<1xi32>
  %1 = "ttir.ones"() {shape = array<i32: 3, 2>} : () -> tensor<3x2xf32>
  %2 = "ttir.embedding"(%0, %1) : (tensor<1xi32>, tensor<3x2xf32>) -> tensor<1x2xf32>
  return %2 : tensor<1x2xf32>
}
// Absent optional operands stay absent: this is a bias.
// CHECK-LABEL: func.func @optional
// CHECK: dense<{{\[\[}}4.000000e+00, 6.000000e+00]]>
func.func @optional() -> tensor<1x2xf32> {
  %0 = "ttir.constant"() {value = dense<[[1.0, 1.0]]> : tensor<1x2xf32>} : () -> tensor<1x2xf32>
  %1 = "ttir.constant"() {value = dense<[4.0, 6.0]> : tensor<2xf32>} : () -> tensor<2xf32>
  %2 = "ttir.layer_norm"(%0, %1) {normalized_shape = array<i64: 2>, operandSegmentSizes = array<i32: 1, 0, 1>} : (tensor<1x2xf32>, tensor<2xf32>) -> tensor<1x2xf32>
  return %2 : tensor<1x2xf32>
}
