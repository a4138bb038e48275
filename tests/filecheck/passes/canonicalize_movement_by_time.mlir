// RUN: ttstack opt %s --system-desc wormhole -p "canonicalize-movement" | filecheck %s

// A permutation of many channels takes less time than a transposition whose result is cut anew.
// CHECK-LABEL: func.func @channels_first
// CHECK: "ttir.permute"(%arg0) {permutation = array<i64: 0, 3, 1, 2>}
// CHECK-NEXT: return
func.func @channels_first(%a: tensor<1x128x128x150xbf16>) -> tensor<1x150x128x128xbf16> {
  %0 = "ttir.reshape"(%a) {shape = [16384 : i32, 150 : i32]} : (tensor<1x128x128x150xbf16>) -> tensor<16384x150xbf16>
  %1 = "ttir.permute"(%0) {permutation = array<i64: 1, 0>} : (tensor<16384x150xbf16>) -> tensor<150x16384xbf16>
  %2 = "ttir.reshape"(%1) {shape = [1 : i32, 150 : i32, 128 : i32, 128 : i32]} : (tensor<150x16384xbf16>) -> tensor<1x150x128x128xbf16>
  return %2 : tensor<1x150x128x128xbf16>
}
// A column of many tiles is a row that is transposed.
// CHECK-LABEL: func.func @column
// CHECK: %[[R:.*]] = "ttir.reshape"(%arg0) {{.*}} -> tensor<1x5120x1x16xbf16>
// CHECK: "ttir.permute"(%[[R]]) {permutation = array<i64: 0, 1, 3, 2>}
// CHECK-NEXT: return
func.func @column(%a: tensor<1x5120x16xbf16>) -> tensor<1x5120x16x1xbf16> {
  %0 = "ttir.reshape"(%a) {shape = [1 : i32, 5120 : i32, 16 : i32, 1 : i32]} : (tensor<1x5120x16xbf16>) -> tensor<1x5120x16x1xbf16>
  return %0 : tensor<1x5120x16x1xbf16>
}
// What makes fewer bytes of each element goes before what moves them, and what makes more of them after it.
// CHECK-LABEL: func.func @casts
// CHECK: %[[C:.*]] = "ttir.typecast"(%arg0) {{.*}} -> tensor<1x2048x512xbf16>
// CHECK: "ttir.permute"(%[[C]])
// CHECK: %[[P:.*]] = "ttir.permute"(%arg1)
// CHECK: "ttir.typecast"(%[[P]])
func.func @casts(%a: tensor<1x2048x512xf32>, %b: tensor<1x2048x512xbf16>) -> (tensor<1x512x2048xbf16>, tensor<1x512x2048xf32>) {
  %0 = "ttir.permute"(%a) {permutation = array<i64: 0, 2, 1>} : (tensor<1x2048x512xf32>) -> tensor<1x512x2048xf32>
  %1 = "ttir.typecast"(%0) : (tensor<1x512x2048xf32>) -> tensor<1x512x2048xbf16>
  %2 = "ttir.permute"(%b) {permutation = array<i64: 0, 2, 1>} : (tensor<1x2048x512xbf16>) -> tensor<1x512x2048xbf16>
  %3 = "ttir.typecast"(%2) : (tensor<1x512x2048xbf16>) -> tensor<1x512x2048xf32>
  return %1, %3 : tensor<1x512x2048xbf16>, tensor<1x512x2048xf32>
}
