// RUN: ttstack opt %s -p "fuse" | filecheck %s
// CHECK-LABEL: func.func @bias_and_activation
// CHECK: [[L:%.+]] = "ttir.linear"(%arg0, %arg1, %arg2) {activation = "relu"}
// CHECK-NEXT: return [[L]]
func.func @bias_and_activation(%a: tensor<4x8xf32>, %b: tensor<8x2xf32>, %c: tensor<2xf32>) -> tensor<4x2xf32> {
  %0 = "ttir.matmul"(%a, %b) : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf32>
  %1 = "ttir.add"(%c, %0) : (tensor<2xf32>, tensor<4x2xf32>) -> tensor<4x2xf32>
  %2 = "ttir.relu"(%1) : (tensor<4x2xf32>) -> tensor<4x2xf32>
  return %2 : tensor<4x2xf32>
}
// CHECK-LABEL: func.func @transposed
// CHECK: "ttir.linear"(%arg0, %arg1, %arg2) {transpose_b = true}
func.func @transposed(%a: tensor<4x8xf32>, %b: tensor<2x8xf32>, %c: tensor<1x2xf32>) -> tensor<4x2xf32> {
  %0 = "ttir.matmul"(%a, %b) {transpose_b = true} : (tensor<4x8xf32>, tensor<2x8xf32>) -> tensor<4x2xf32>
  %1 = "ttir.add"(%0, %c) : (tensor<4x2xf32>, tensor<1x2xf32>) -> tensor<4x2xf32>
  return %1 : tensor<4x2xf32>
}
// Another use sees the product itself.
// CHECK-LABEL: func.func @two_uses
// CHECK: "ttir.matmul"(%arg0, %arg1) :
// CHECK-NEXT: "ttir.add"
// CHECK-NEXT: return
func.func @two_uses(%a: tensor<4x8xf32>, %b: tensor<8x2xf32>, %c: tensor<2xf32>) -> (tensor<4x2xf32>, tensor<4x2xf32>) {
  %0 = "ttir.matmul"(%a, %b) : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf32>
  %1 = "ttir.add"(%0, %c) : (tensor<4x2xf32>, tensor<2xf32>) -> tensor<4x2xf32>
  return %0, %1 : tensor<4x2xf32>, tensor<4x2xf32>
}
// What comes after an activation is not part of it.
// CHECK-LABEL: func.func @bias_after_activation
// CHECK: "ttir.matmul"(%arg0, %arg1) {activation = "gelu"}
// CHECK-NEXT: "ttir.add"
func.func @bias_after_activation(%a: tensor<4x8xf32>, %b: tensor<8x2xf32>, %c: tensor<2xf32>) -> tensor<4x2xf32> {
  %0 = "ttir.matmul"(%a, %b) : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf32>
  %1 = "ttir.gelu"(%0) : (tensor<4x2xf32>) -> tensor<4x2xf32>
  %2 = "ttir.add"(%1, %c) : (tensor<4x2xf32>, tensor<2xf32>) -> tensor<4x2xf32>
  return %2 : tensor<4x2xf32>
}
// A residual is no bias, and a bias that widens the element type is none either.
// CHECK-LABEL: func.func @no_bias
// CHECK: "ttir.matmul"
// CHECK-NEXT: "ttir.add"
// CHECK: "ttir.matmul"
// CHECK-NEXT: "ttir.add"
func.func @no_bias(%a: tensor<4x8xbf16>, %b: tensor<8x2xbf16>, %c: tensor<4x2xbf16>, %d: tensor<2xf32>) -> (tensor<4x2xbf16>, tensor<4x2xf32>) {
  %0 = "ttir.matmul"(%a, %b) : (tensor<4x8xbf16>, tensor<8x2xbf16>) -> tensor<4x2xbf16>
  %1 = "ttir.add"(%0, %c) : (tensor<4x2xbf16>, tensor<4x2xbf16>) -> tensor<4x2xbf16>
  %2 = "ttir.matmul"(%a, %b) : (tensor<4x8xbf16>, tensor<8x2xbf16>) -> tensor<4x2xbf16>
  %3 = "ttir.add"(%2, %d) : (tensor<4x2xbf16>, tensor<2xf32>) -> tensor<4x2xf32>
  return %1, %3 : tensor<4x2xbf16>, tensor<4x2xf32>
}
// One number for all columns is no bias: the library reads a row of them.
// CHECK-LABEL: func.func @one_number
// CHECK: "ttir.matmul"
// CHECK: "ttir.add"
func.func @one_number(%a: tensor<64x32xf32>, %b: tensor<32x64xf32>, %c: tensor<1xf32>) -> tensor<64x64xf32> {
  %0 = "ttir.matmul"(%a, %b) : (tensor<64x32xf32>, tensor<32x64xf32>) -> tensor<64x64xf32>
  %1 = "ttir.add"(%0, %c) : (tensor<64x64xf32>, tensor<1xf32>) -> tensor<64x64xf32>
  return %1 : tensor<64x64xf32>
}

// The program of a product of batches has no place for an activation.
// CHECK-LABEL: func.func @activation_of_a_batch
// CHECK: [[M:%.+]] = "ttir.matmul"(%arg0, %arg1) :
// CHECK-NEXT: "ttir.relu"([[M]])
func.func @activation_of_a_batch(%a: tensor<2x4x8xf32>, %b: tensor<2x8x2xf32>) -> tensor<2x4x2xf32> {
  %0 = "ttir.matmul"(%a, %b) : (tensor<2x4x8xf32>, tensor<2x8x2xf32>) -> tensor<2x4x2xf32>
  %1 = "ttir.relu"(%0) : (tensor<2x4x2xf32>) -> tensor<2x4x2xf32>
  return %1 : tensor<2x4x2xf32>
}
