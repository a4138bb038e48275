// RUN: ttstack opt %s --system-desc wormhole -p "fold-movement" | filecheck %s

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
