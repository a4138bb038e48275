// RUN: ttstack opt %s -p "version-buffers,canonicalize,cse" | filecheck %s
// RUN: ttstack opt %s -p "version-buffers,canonicalize,cse,insert-copies" | filecheck %s --check-prefix=COPIES
// Equal ops before and after a write read two values, and are not merged.
// CHECK-LABEL: func.func @before_and_after
// CHECK-NEXT: [[OLD:%.+]] = "ttir.exp"(%arg0)
// CHECK-NEXT: [[NOW:%.+]] = "ttir.assign"(%arg0, %arg1) : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
// CHECK-NEXT: [[NEW:%.+]] = "ttir.exp"([[NOW]])
// CHECK-NEXT: return [[OLD]], [[NEW]]
// COPIES-LABEL: func.func @before_and_after
// COPIES-NEXT: "ttir.exp"(%arg0)
// COPIES-NEXT: "ttir.assign"(%arg0, %arg1) : (tensor<32x32xf32>, tensor<32x32xf32>) -> ()
// COPIES-NEXT: "ttir.exp"(%arg0)
func.func @before_and_after(%state: tensor<32x32xf32>, %next: tensor<32x32xf32>) -> (tensor<32x32xf32>, tensor<32x32xf32>) {
  %0 = "ttir.exp"(%state) : (tensor<32x32xf32>) -> tensor<32x32xf32>
  "ttir.assign"(%state, %next) : (tensor<32x32xf32>, tensor<32x32xf32>) -> ()
  %1 = "ttir.exp"(%state) : (tensor<32x32xf32>) -> tensor<32x32xf32>
  return %0, %1 : tensor<32x32xf32>, tensor<32x32xf32>
}
// What is written through a view is read through the other views that are written through, and the buffer itself.
// CHECK-LABEL: func.func @through_views
// CHECK-NEXT: [[FIRST:%.+]] = "ttir.assign"(%arg0, %arg1)
// CHECK-NEXT: [[NOW:%.+]] = "ttir.reshape"([[FIRST]])
// CHECK-NEXT: [[SECOND:%.+]] = "ttir.assign"([[NOW]], %arg2)
// CHECK-NEXT: [[BOTH:%.+]] = "ttir.reshape"([[SECOND]])
// CHECK-NEXT: return [[BOTH]]
// COPIES-LABEL: func.func @through_views
// COPIES-NOT: "ttir.clone"
// COPIES: return
func.func @through_views(%state: tensor<64x32xf32>, %a: tensor<64x32xf32>, %b: tensor<2x32x32xf32>) -> tensor<64x32xf32> {
  %0 = "ttir.reshape"(%state) {shape = [2 : i32, 32 : i32, 32 : i32]} : (tensor<64x32xf32>) -> tensor<2x32x32xf32>
  "ttir.assign"(%state, %a) : (tensor<64x32xf32>, tensor<64x32xf32>) -> ()
  "ttir.assign"(%0, %b) : (tensor<2x32x32xf32>, tensor<2x32x32xf32>) -> ()
  return %state : tensor<64x32xf32>
}
// Buffers that begin alike are merged, and made again for the second write.
// CHECK-LABEL: func.func @equal_buffers
// CHECK-NEXT: [[ZEROS:%.+]] = "ttir.zeros"()
// CHECK-NEXT: "ttir.assign"([[ZEROS]], %arg0)
// CHECK-NEXT: "ttir.assign"([[ZEROS]], %arg1)
// COPIES-LABEL: func.func @equal_buffers
// COPIES-NEXT: [[A:%.+]] = "ttir.zeros"()
// COPIES-NEXT: [[B:%.+]] = "ttir.zeros"()
// COPIES-NEXT: "ttir.assign"([[A]], %arg0)
// COPIES-NEXT: "ttir.assign"([[B]], %arg1)
// COPIES-NEXT: return [[A]], [[B]]
func.func @equal_buffers(%a: tensor<4xf32>, %b: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = "ttir.zeros"() {shape = array<i32: 4>} : () -> tensor<4xf32>
  %1 = "ttir.zeros"() {shape = array<i32: 4>} : () -> tensor<4xf32>
  "ttir.assign"(%0, %a) : (tensor<4xf32>, tensor<4xf32>) -> ()
  "ttir.assign"(%1, %b) : (tensor<4xf32>, tensor<4xf32>) -> ()
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}
// What a buffer held is copied where a pass moved a read behind the write; the read after it needs none.
// COPIES-LABEL: func.func @read_late
// COPIES-NEXT: [[OLD:%.+]] = "ttir.clone"(%arg0)
// COPIES-NEXT: "ttir.assign"(%arg0, %arg1) : (tensor<32x32xf32>, tensor<32x32xf32>) -> ()
// COPIES-NEXT: [[A:%.+]] = "ttir.exp"([[OLD]])
// COPIES-NEXT: [[B:%.+]] = "ttir.exp"(%arg0)
// COPIES-NEXT: return [[A]], [[B]]
func.func @read_late(%state: tensor<32x32xf32>, %next: tensor<32x32xf32>) -> (tensor<32x32xf32>, tensor<32x32xf32>) {
  %now = "ttir.assign"(%state, %next) : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
  %0 = "ttir.exp"(%state) : (tensor<32x32xf32>) -> tensor<32x32xf32>
  %1 = "ttir.exp"(%now) : (tensor<32x32xf32>) -> tensor<32x32xf32>
  return %0, %1 : tensor<32x32xf32>, tensor<32x32xf32>
}
