// RUN: ttstack opt %s --system-desc wormhole -p "lower{placement=dram}" | filecheck %s
// Constants are there from the start, so no earlier buffer lies where one does.
// CHECK-LABEL: func.func @constants_first
// CHECK: "ttnn.exp"(%arg0) {tt.address = [[[EXP:[0-9]+]]]
// CHECK-NOT: "ttnn.constant"() {tt.address = [[[EXP]]]
// CHECK: return
func.func @constants_first(%a: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = "ttir.exp"(%a) : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %1 = "ttir.softmax"(%0) {dimension = 1 : si32} : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %c = "ttir.constant"() {value = dense<2.0> : tensor<64x64xf32>} : () -> tensor<64x64xf32>
  %2 = "ttir.multiply"(%1, %c) : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  return %2 : tensor<64x64xf32>
}
