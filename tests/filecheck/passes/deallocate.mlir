// RUN: ttstack opt %s --system-desc wormhole -p "dispatch,assign-grids,place{placement=dram},convert-ttir-to-ttnn,canonicalize,deallocate" | filecheck %s
// Right after the last use; not arguments, not what is returned.
// CHECK-LABEL: func.func @chain
// CHECK-NEXT: [[A:%.+]] = "ttnn.exp"(%arg0)
// CHECK-NEXT: [[B:%.+]] = "ttnn.softmax"([[A]])
// CHECK-NEXT: [[C:%.+]] = "ttnn.add"([[A]], [[B]])
// CHECK-NEXT: "ttnn.deallocate"([[A]])
// CHECK-NEXT: "ttnn.deallocate"([[B]])
// CHECK-NEXT: return [[C]]
func.func @chain(%a: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = "ttir.exp"(%a) : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %1 = "ttir.softmax"(%0) {dimension = 1 : si32} : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %2 = "ttir.add"(%0, %1) : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  return %2 : tensor<64x64xf32>
}
// A buffer lives as long as the last of its views, and constants stay.
// CHECK-LABEL: func.func @views
// CHECK: [[A:%.+]] = "ttnn.exp"(%arg0)
// CHECK: [[V:%.+]] = "ttnn.reshape"([[A]]) {{.*}}tt.view
// CHECK: [[W:%.+]] = "ttnn.reshape"([[V]]) {{.*}}tt.view
// CHECK: "ttnn.add"([[W]]
// CHECK-NEXT: "ttnn.deallocate"([[A]])
// CHECK-NOT: deallocate
// CHECK: return
func.func @views(%a: tensor<64x64xf32>) -> tensor<1x64x64xf32> {
  %c = "ttir.constant"() {value = dense<2.0> : tensor<1x64x64xf32>} : () -> tensor<1x64x64xf32>
  %0 = "ttir.exp"(%a) : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %1 = "ttir.reshape"(%0) {shape = [2 : i32, 32 : i32, 64 : i32]} : (tensor<64x64xf32>) -> tensor<2x32x64xf32>
  %2 = "ttir.reshape"(%1) {shape = [1 : i32, 64 : i32, 64 : i32]} : (tensor<2x32x64xf32>) -> tensor<1x64x64xf32>
  %3 = "ttir.add"(%2, %c) : (tensor<1x64x64xf32>, tensor<1x64x64xf32>) -> tensor<1x64x64xf32>
  return %3 : tensor<1x64x64xf32>
}
// A returned view keeps its buffer; an unused result does not.
// CHECK-LABEL: func.func @returned
// CHECK: "ttnn.exp"
// CHECK-NOT: deallocate
// CHECK: return
func.func @returned(%a: tensor<64x64xf32>) -> tensor<2x32x64xf32> {
  %0 = "ttir.exp"(%a) : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %1 = "ttir.reshape"(%0) {shape = [2 : i32, 32 : i32, 64 : i32]} : (tensor<64x64xf32>) -> tensor<2x32x64xf32>
  return %1 : tensor<2x32x64xf32>
}
// CHECK-LABEL: func.func @one_of_three
// CHECK: [[S:%.+]]:3 = "ttnn.split_query_key_value_and_split_heads"(%arg0)
// CHECK-DAG: "ttnn.deallocate"([[S]]#0)
// CHECK-DAG: "ttnn.deallocate"([[S]]#2)
// CHECK: return [[S]]#1
func.func @one_of_three(%a: tensor<1x32x192xf32>) -> tensor<1x2x32x32xf32> {
  %q, %k, %v = "ttir.split_query_key_value_and_split_heads"(%a) {num_heads = 2 : ui32, transpose_key = false} : (tensor<1x32x192xf32>) -> (tensor<1x2x32x32xf32>, tensor<1x2x32x32xf32>, tensor<1x2x32x32xf32>)
  return %k : tensor<1x2x32x32xf32>
}
