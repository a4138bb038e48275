// RUN: ttstack opt %s -p "version-buffers,insert-copies" | filecheck %s
// A view that is read after a write to what it is a view of.
// CHECK-LABEL: func.func @read_after
// CHECK-NEXT: [[OLD:%.+]] = "ttir.clone"(%arg0)
// CHECK-NEXT: [[VIEW:%.+]] = "ttir.reshape"([[OLD]])
// CHECK-NEXT: [[AGAIN:%.+]] = "ttir.unsqueeze"([[VIEW]])
// CHECK-NEXT: "ttir.assign"(%arg0, %arg1)
// CHECK-NEXT: return [[AGAIN]]
func.func @read_after(%state: tensor<64x32xf32>, %next: tensor<64x32xf32>) -> tensor<1x2x32x32xf32> {
  %0 = "ttir.reshape"(%state) {shape = [2 : i32, 32 : i32, 32 : i32]} : (tensor<64x32xf32>) -> tensor<2x32x32xf32>
  %1 = "ttir.unsqueeze"(%0) {dim = 0 : si32} : (tensor<2x32x32xf32>) -> tensor<1x2x32x32xf32>
  "ttir.assign"(%state, %next) : (tensor<64x32xf32>, tensor<64x32xf32>) -> ()
  return %1 : tensor<1x2x32x32xf32>
}
// Views that are done with, or made afterwards, need no copy; nor do those through which the buffer is written.
// CHECK-LABEL: func.func @no_copies
// CHECK-NOT: "ttir.clone"
// CHECK: return
func.func @no_copies(%state: tensor<64x32xf32>, %next: tensor<2x32x32xf32>) -> (tensor<2x32x32xf32>, tensor<2x32x32xf32>) {
  %0 = "ttir.reshape"(%state) {shape = [2 : i32, 32 : i32, 32 : i32]} : (tensor<64x32xf32>) -> tensor<2x32x32xf32>
  %1 = "ttir.exp"(%0) : (tensor<2x32x32xf32>) -> tensor<2x32x32xf32>
  %2 = "ttir.reshape"(%state) {shape = [2 : i32, 32 : i32, 32 : i32]} : (tensor<64x32xf32>) -> tensor<2x32x32xf32>
  "ttir.assign"(%2, %next) : (tensor<2x32x32xf32>, tensor<2x32x32xf32>) -> ()
  %3 = "ttir.reshape"(%state) {shape = [2 : i32, 32 : i32, 32 : i32]} : (tensor<64x32xf32>) -> tensor<2x32x32xf32>
  return %1, %3 : tensor<2x32x32xf32>, tensor<2x32x32xf32>
}
// A copy that is there already is what others read, unless it is overwritten itself.
// CHECK-LABEL: func.func @copied_before
// CHECK-NEXT: [[A:%.+]] = "ttir.clone"(%arg0)
// CHECK-NEXT: [[B:%.+]] = "ttir.clone"(%arg0)
// CHECK-NEXT: [[VIEW:%.+]] = "ttir.reshape"([[B]])
// CHECK-NEXT: "ttir.assign"(%arg0, %arg1)
// CHECK-NEXT: "ttir.assign"([[A]], %arg1)
// CHECK-NEXT: return [[A]], [[B]], [[VIEW]]
func.func @copied_before(%state: tensor<64x32xf32>, %next: tensor<64x32xf32>) -> (tensor<64x32xf32>, tensor<64x32xf32>, tensor<2x32x32xf32>) {
  %0 = "ttir.clone"(%state) : (tensor<64x32xf32>) -> tensor<64x32xf32>
  %1 = "ttir.clone"(%state) : (tensor<64x32xf32>) -> tensor<64x32xf32>
  %2 = "ttir.reshape"(%state) {shape = [2 : i32, 32 : i32, 32 : i32]} : (tensor<64x32xf32>) -> tensor<2x32x32xf32>
  "ttir.assign"(%state, %next) : (tensor<64x32xf32>, tensor<64x32xf32>) -> ()
  "ttir.assign"(%0, %next) : (tensor<64x32xf32>, tensor<64x32xf32>) -> ()
  return %0, %1, %2 : tensor<64x32xf32>, tensor<64x32xf32>, tensor<2x32x32xf32>
}
