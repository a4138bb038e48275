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
// A constant is the same in the next run; what is made anew in each run is written where it is.
// CHECK-LABEL: func.func @constants
// CHECK: [[CONSTANT:%.+]] = "ttir.constant"
// CHECK-NEXT: [[ZEROS:%.+]] = "ttir.zeros"
// CHECK-NEXT: [[COPY:%.+]] = "ttir.clone"([[CONSTANT]])
// CHECK-NEXT: "ttir.assign"([[COPY]], %arg0) : (tensor<4xf32>, tensor<4xf32>) -> ()
// CHECK-NEXT: "ttir.assign"([[COPY]], %arg1) : (tensor<4xf32>, tensor<4xf32>) -> ()
// CHECK-NEXT: "ttir.assign"([[ZEROS]], %arg0)
// CHECK-NEXT: return [[COPY]], [[ZEROS]]
func.func @constants(%a: tensor<4xf32>, %b: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = "ttir.constant"() {value = dense<1.0> : tensor<4xf32>} : () -> tensor<4xf32>
  %1 = "ttir.zeros"() {shape = array<i32: 4>} : () -> tensor<4xf32>
  "ttir.assign"(%0, %a) : (tensor<4xf32>, tensor<4xf32>) -> ()
  "ttir.assign"(%0, %b) : (tensor<4xf32>, tensor<4xf32>) -> ()
  "ttir.assign"(%1, %a) : (tensor<4xf32>, tensor<4xf32>) -> ()
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}
// One copy serves a read after the write and a view from before it.
// CHECK-LABEL: func.func @one_copy
// CHECK-NEXT: [[OLD:%.+]] = "ttir.clone"(%arg0)
// CHECK-NEXT: [[VIEW:%.+]] = "ttir.reshape"([[OLD]])
// CHECK-NEXT: "ttir.assign"(%arg0, %arg1)
// CHECK-NEXT: return [[OLD]], [[VIEW]]
func.func @one_copy(%state: tensor<64x32xf32>, %next: tensor<64x32xf32>) -> (tensor<64x32xf32>, tensor<2x32x32xf32>) {
  %0 = "ttir.reshape"(%state) {shape = [2 : i32, 32 : i32, 32 : i32]} : (tensor<64x32xf32>) -> tensor<2x32x32xf32>
  %1 = "ttir.assign"(%state, %next) : (tensor<64x32xf32>, tensor<64x32xf32>) -> tensor<64x32xf32>
  return %state, %0 : tensor<64x32xf32>, tensor<2x32x32xf32>
}
