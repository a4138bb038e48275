// RUN: ttstack opt %s --system-desc wormhole -p "fold-gather-into-weights,canonicalize" | filecheck %s

// Elements below the diagonal are rows of weights, which have zeros for all others and for what fills up the product.
// CHECK-LABEL: func.func @pairs
// CHECK: %[[P:.*]] = "ttir.matmul"
// CHECK-NOT: ttir.gather
// CHECK: %[[Z:.*]] = "ttir.pad"(%arg1)
// CHECK-NEXT: %[[I:.*]] = "ttir.constant"
// CHECK-NEXT: %[[W:.*]] = "ttir.embedding"(%[[I]], %[[Z]])
// CHECK: "ttir.matmul"(%{{.*}}, %[[W]])
func.func @pairs(%x: tensor<1024x3x64xbf16>, %w: tensor<3x96xbf16> {tt.argument_type = #tt.argument_type<"parameter">}) -> tensor<1024x96xbf16> {
  %t = "ttir.permute"(%x) {permutation = array<i64: 0, 2, 1>} : (tensor<1024x3x64xbf16>) -> tensor<1024x64x3xbf16>
  %p = "ttir.matmul"(%x, %t) : (tensor<1024x3x64xbf16>, tensor<1024x64x3xbf16>) -> tensor<1024x3x3xbf16>
  %f = "ttir.reshape"(%p) {shape = [1024 : i32, 9 : i32]} : (tensor<1024x3x3xbf16>) -> tensor<1024x9xbf16>
  %c = "ttir.constant"() {value = dense<[[3, 6, 7]]> : tensor<1x3xi64>} : () -> tensor<1x3xi64>
  %i = "ttir.broadcast"(%c) {broadcast_dimensions = array<i64: 1024, 1>} : (tensor<1x3xi64>) -> tensor<1024x3xi64>
  %g = "ttir.gather"(%f, %i) {dim = 1 : i32} : (tensor<1024x9xbf16>, tensor<1024x3xi64>) -> tensor<1024x3xbf16>
  %y = "ttir.matmul"(%g, %w) : (tensor<1024x3xbf16>, tensor<3x96xbf16>) -> tensor<1024x96xbf16>
  return %y : tensor<1024x96xbf16>
}
// The third feature is in no pair that is picked: it may be infinite where all results are finite.
// CHECK-LABEL: func.func @some
// CHECK: ttir.gather
func.func @some(%x: tensor<1024x3x64xbf16>, %w: tensor<1x96xbf16> {tt.argument_type = #tt.argument_type<"parameter">}) -> tensor<1024x96xbf16> {
  %t = "ttir.permute"(%x) {permutation = array<i64: 0, 2, 1>} : (tensor<1024x3x64xbf16>) -> tensor<1024x64x3xbf16>
  %p = "ttir.matmul"(%x, %t) : (tensor<1024x3x64xbf16>, tensor<1024x64x3xbf16>) -> tensor<1024x3x3xbf16>
  %f = "ttir.reshape"(%p) {shape = [1024 : i32, 9 : i32]} : (tensor<1024x3x3xbf16>) -> tensor<1024x9xbf16>
  %i = "ttir.full"() {shape = array<i32: 1024, 1>, fill_value = 3 : i32} : () -> tensor<1024x1xi64>
  %g = "ttir.gather"(%f, %i) {dim = 1 : i32} : (tensor<1024x9xbf16>, tensor<1024x1xi64>) -> tensor<1024x1xbf16>
  %y = "ttir.matmul"(%g, %w) : (tensor<1024x1xbf16>, tensor<1x96xbf16>) -> tensor<1024x96xbf16>
  return %y : tensor<1024x96xbf16>
}
// Weights that the program is given are not known.
// CHECK-LABEL: func.func @given
// CHECK: ttir.gather
func.func @given(%x: tensor<1024x3x64xbf16>, %w: tensor<3x96xbf16>) -> tensor<1024x96xbf16> {
  %t = "ttir.permute"(%x) {permutation = array<i64: 0, 2, 1>} : (tensor<1024x3x64xbf16>) -> tensor<1024x64x3xbf16>
  %p = "ttir.matmul"(%x, %t) : (tensor<1024x3x64xbf16>, tensor<1024x64x3xbf16>) -> tensor<1024x3x3xbf16>
  %f = "ttir.reshape"(%p) {shape = [1024 : i32, 9 : i32]} : (tensor<1024x3x3xbf16>) -> tensor<1024x9xbf16>
  %c = "ttir.constant"() {value = dense<[[3, 6, 7]]> : tensor<1x3xi64>} : () -> tensor<1x3xi64>
  %i = "ttir.broadcast"(%c) {broadcast_dimensions = array<i64: 1024, 1>} : (tensor<1x3xi64>) -> tensor<1024x3xi64>
  %g = "ttir.gather"(%f, %i) {dim = 1 : i32} : (tensor<1024x9xbf16>, tensor<1024x3xi64>) -> tensor<1024x3xbf16>
  %y = "ttir.matmul"(%g, %w) : (tensor<1024x3xbf16>, tensor<3x96xbf16>) -> tensor<1024x96xbf16>
  return %y : tensor<1024x96xbf16>
}
