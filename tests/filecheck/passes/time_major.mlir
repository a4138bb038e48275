// RUN: ttstack opt %s --system-desc wormhole -p "time-major,canonicalize,cse" | filecheck %s

// Steps of a scan are rows of each tile: one permutation, and each step is whole tiles.
// CHECK-LABEL: func.func @scan
// CHECK: %[[T:.*]] = "ttir.permute"(%arg0) {permutation = array<i64: 2, 0, 1, 3>}
// CHECK: "ttir.slice_static"(%[[T]]) {{.*}} -> tensor<1x1x5120x16xbf16>
// CHECK-NEXT: "ttir.reshape"({{.*}} -> tensor<1x5120x16xbf16>
// CHECK: "ttir.slice_static"(%[[T]])
// CHECK-NOT: ttir.permute
// CHECK: return
func.func @scan(%x: tensor<1x5120x16x16xbf16>) -> (tensor<1x5120x16xbf16>, tensor<1x5120x16xbf16>) {
  %a = "ttir.slice_static"(%x) {begins = [0 : i32, 0 : i32, 0 : i32, 0 : i32], ends = [1 : i32, 5120 : i32, 1 : i32, 16 : i32], step = [1 : i32, 1 : i32, 1 : i32, 1 : i32]} : (tensor<1x5120x16x16xbf16>) -> tensor<1x5120x1x16xbf16>
  %av = "ttir.squeeze"(%a) {dim = 2 : si32} : (tensor<1x5120x1x16xbf16>) -> tensor<1x5120x16xbf16>
  %b = "ttir.slice_static"(%x) {begins = [0 : i32, 0 : i32, 5 : i32, 0 : i32], ends = [1 : i32, 5120 : i32, 6 : i32, 16 : i32], step = [1 : i32, 1 : i32, 1 : i32, 1 : i32]} : (tensor<1x5120x16x16xbf16>) -> tensor<1x5120x1x16xbf16>
  %bv = "ttir.squeeze"(%b) {dim = 2 : si32} : (tensor<1x5120x1x16xbf16>) -> tensor<1x5120x16xbf16>
  return %av, %bv : tensor<1x5120x16xbf16>, tensor<1x5120x16xbf16>
}
// One step does not pay for it.
// CHECK-LABEL: func.func @one
// CHECK-NOT: ttir.permute
// CHECK: return
func.func @one(%x: tensor<1x5120x16x16xbf16>) -> tensor<1x5120x16xbf16> {
  %a = "ttir.slice_static"(%x) {begins = [0 : i32, 0 : i32, 3 : i32, 0 : i32], ends = [1 : i32, 5120 : i32, 4 : i32, 16 : i32], step = [1 : i32, 1 : i32, 1 : i32, 1 : i32]} : (tensor<1x5120x16x16xbf16>) -> tensor<1x5120x1x16xbf16>
  %av = "ttir.squeeze"(%a) {dim = 2 : si32} : (tensor<1x5120x1x16xbf16>) -> tensor<1x5120x16xbf16>
  return %av : tensor<1x5120x16xbf16>
}
// Nor do steps that are outermost already; what reads a step as it is keeps it.
// CHECK-LABEL: func.func @others
// CHECK-NOT: ttir.permute
// CHECK: return
func.func @others(%x: tensor<4x64x64xbf16>, %y: tensor<1x5120x16x16xbf16>) -> (tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<1x5120x1x16xbf16>, tensor<1x5120x1x16xbf16>) {
  %0 = "ttir.slice_static"(%x) {begins = [0 : i32, 0 : i32, 0 : i32], ends = [1 : i32, 64 : i32, 64 : i32], step = [1 : i32, 1 : i32, 1 : i32]} : (tensor<4x64x64xbf16>) -> tensor<1x64x64xbf16>
  %1 = "ttir.squeeze"(%0) {dim = 0 : si32} : (tensor<1x64x64xbf16>) -> tensor<64x64xbf16>
  %2 = "ttir.slice_static"(%x) {begins = [2 : i32, 0 : i32, 0 : i32], ends = [3 : i32, 64 : i32, 64 : i32], step = [1 : i32, 1 : i32, 1 : i32]} : (tensor<4x64x64xbf16>) -> tensor<1x64x64xbf16>
  %3 = "ttir.squeeze"(%2) {dim = 0 : si32} : (tensor<1x64x64xbf16>) -> tensor<64x64xbf16>
  %4 = "ttir.slice_static"(%y) {begins = [0 : i32, 0 : i32, 1 : i32, 0 : i32], ends = [1 : i32, 5120 : i32, 2 : i32, 16 : i32], step = [1 : i32, 1 : i32, 1 : i32, 1 : i32]} : (tensor<1x5120x16x16xbf16>) -> tensor<1x5120x1x16xbf16>
  %5 = "ttir.slice_static"(%y) {begins = [0 : i32, 0 : i32, 2 : i32, 0 : i32], ends = [1 : i32, 5120 : i32, 3 : i32, 16 : i32], step = [1 : i32, 1 : i32, 1 : i32, 1 : i32]} : (tensor<1x5120x16x16xbf16>) -> tensor<1x5120x1x16xbf16>
  return %1, %3, %4, %5 : tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<1x5120x1x16xbf16>, tensor<1x5120x1x16xbf16>
}
// What elementwise ops make is made with steps first, of operands with steps first.
// CHECK-LABEL: func.func @made
// CHECK-DAG: %[[A:.*]] = "ttir.reshape"(%arg0) {{.*}} -> tensor<1x1x5120x16xbf16>
// CHECK-DAG: %[[B:.*]] = "ttir.permute"(%arg1) {permutation = array<i64: 2, 0, 1, 3>}
// CHECK: %[[M:.*]] = "ttir.multiply"(%[[A]], %[[B]]) {{.*}} -> tensor<16x1x5120x16xbf16>
// CHECK: %[[E:.*]] = "ttir.exp"(%[[M]])
// CHECK: "ttir.slice_static"(%[[E]]) {{.*}} -> tensor<1x1x5120x16xbf16>
// CHECK-NOT: tensor<1x5120x16x16xbf16>
// CHECK: return
func.func @made(%x: tensor<1x5120x1x16xbf16>, %y: tensor<1x5120x16x1xbf16>) -> (tensor<1x5120x16xbf16>, tensor<1x5120x16xbf16>) {
  %m = "ttir.multiply"(%x, %y) : (tensor<1x5120x1x16xbf16>, tensor<1x5120x16x1xbf16>) -> tensor<1x5120x16x16xbf16>
  %e = "ttir.exp"(%m) : (tensor<1x5120x16x16xbf16>) -> tensor<1x5120x16x16xbf16>
  %a = "ttir.slice_static"(%e) {begins = [0 : i32, 0 : i32, 0 : i32, 0 : i32], ends = [1 : i32, 5120 : i32, 1 : i32, 16 : i32], step = [1 : i32, 1 : i32, 1 : i32, 1 : i32]} : (tensor<1x5120x16x16xbf16>) -> tensor<1x5120x1x16xbf16>
  %av = "ttir.squeeze"(%a) {dim = 2 : si32} : (tensor<1x5120x1x16xbf16>) -> tensor<1x5120x16xbf16>
  %b = "ttir.slice_static"(%e) {begins = [0 : i32, 0 : i32, 5 : i32, 0 : i32], ends = [1 : i32, 5120 : i32, 6 : i32, 16 : i32], step = [1 : i32, 1 : i32, 1 : i32, 1 : i32]} : (tensor<1x5120x16x16xbf16>) -> tensor<1x5120x1x16xbf16>
  %bv = "ttir.squeeze"(%b) {dim = 2 : si32} : (tensor<1x5120x1x16xbf16>) -> tensor<1x5120x16xbf16>
  return %av, %bv : tensor<1x5120x16xbf16>, tensor<1x5120x16xbf16>
}
