// RUN: ttstack opt %s --system-desc wormhole -p "reshape-by-head-ops,canonicalize" | filecheck %s

// Rows that are cut into heads, and heads that are put side by side, move whole tiles.
// CHECK-LABEL: func.func @apart
// CHECK: %[[R:.*]] = "ttir.reshape"(%arg0) {{.*}} -> tensor<1x32x4544xbf16>
// CHECK-NEXT: %[[H:.*]] = "ttir.split_heads"(%[[R]]) {num_heads = 71 : ui32}
// CHECK-NEXT: %[[P:.*]] = "ttir.permute"(%[[H]]) {permutation = array<i64: 0, 2, 1, 3>}
// CHECK-NEXT: return %[[P]]
func.func @apart(%x: tensor<32x4544xbf16>) -> tensor<1x32x71x64xbf16> {
  %0 = "ttir.reshape"(%x) {shape = [1 : i32, 32 : i32, 71 : i32, 64 : i32]} : (tensor<32x4544xbf16>) -> tensor<1x32x71x64xbf16>
  return %0 : tensor<1x32x71x64xbf16>
}
// CHECK-LABEL: func.func @together
// CHECK: %[[R:.*]] = "ttir.reshape"(%arg0) {{.*}} -> tensor<1x128x27x64xf32>
// CHECK-NEXT: %[[P:.*]] = "ttir.permute"(%[[R]]) {permutation = array<i64: 0, 2, 1, 3>}
// CHECK-NEXT: %[[H:.*]] = "ttir.concatenate_heads"(%[[P]])
// CHECK: return
func.func @together(%x: tensor<128x27x64xf32>) -> tensor<128x1728xf32> {
  %0 = "ttir.reshape"(%x) {shape = [128 : i32, 1728 : i32]} : (tensor<128x27x64xf32>) -> tensor<128x1728xf32>
  return %0 : tensor<128x1728xf32>
}
// Those of 32 users have an op.
// CHECK-LABEL: func.func @users
// CHECK: "ttir.concatenate_heads_decode"
// CHECK-NOT: ttir.permute
// CHECK: return
func.func @users(%x: tensor<1x32x16x64xbf16>) -> tensor<32x1024xbf16> {
  %0 = "ttir.reshape"(%x) {shape = [32 : i32, 1024 : i32]} : (tensor<1x32x16x64xbf16>) -> tensor<32x1024xbf16>
  return %0 : tensor<32x1024xbf16>
}
// Heads that end within tiles, integers, and rows that are joined with others stay as they are.
// CHECK-LABEL: func.func @others
// CHECK-NOT: heads
// CHECK: return
func.func @others(%x: tensor<32x1280xbf16>, %y: tensor<32x1024xi32>, %z: tensor<64x256xbf16>) -> (tensor<32x16x80xbf16>, tensor<32x16x64xi32>, tensor<32x512xbf16>) {
  %0 = "ttir.reshape"(%x) {shape = [32 : i32, 16 : i32, 80 : i32]} : (tensor<32x1280xbf16>) -> tensor<32x16x80xbf16>
  %1 = "ttir.reshape"(%y) {shape = [32 : i32, 16 : i32, 64 : i32]} : (tensor<32x1024xi32>) -> tensor<32x16x64xi32>
  %2 = "ttir.reshape"(%z) {shape = [32 : i32, 512 : i32]} : (tensor<64x256xbf16>) -> tensor<32x512xbf16>
  return %0, %1, %2 : tensor<32x16x80xbf16>, tensor<32x16x64xi32>, tensor<32x512xbf16>
}
