// RUN: ttstack opt %s --system-desc wormhole -p "collapse-batch-into-rows,canonicalize-movement,canonicalize,cse" | filecheck %s

// Rows of one token a user go through a norm, a product and a sum as one matrix.
// CHECK-LABEL: func.func @step
// CHECK: %[[X:.*]] = "ttir.reshape"(%arg0) {{.*}} -> tensor<32x2048xbf16>
// CHECK: %[[N:.*]] = "ttir.rms_norm"(%[[X]]) {{.*}} -> tensor<32x2048xbf16>
// CHECK: %[[P:.*]] = "ttir.matmul"(%[[N]], %arg1) : (tensor<32x2048xbf16>, tensor<2048x2048xbf16>) -> tensor<32x2048xbf16>
// CHECK: %[[S:.*]] = "ttir.add"(%[[X]], %[[P]])
// CHECK: "ttir.reshape"(%[[S]]) {{.*}} -> tensor<32x1x2048xbf16>
func.func @step(%x: tensor<32x1x2048xbf16>, %w: tensor<2048x2048xbf16>) -> tensor<32x1x2048xbf16> {
  %0 = "ttir.rms_norm"(%x) <{normalized_shape = array<i64: 2048>, operandSegmentSizes = array<i32: 1, 0, 0>}> : (tensor<32x1x2048xbf16>) -> tensor<32x1x2048xbf16>
  %1 = "ttir.matmul"(%0, %w) : (tensor<32x1x2048xbf16>, tensor<2048x2048xbf16>) -> tensor<32x1x2048xbf16>
  %2 = "ttir.add"(%x, %1) : (tensor<32x1x2048xbf16>, tensor<32x1x2048xbf16>) -> tensor<32x1x2048xbf16>
  return %2 : tensor<32x1x2048xbf16>
}

// One cheap op does not pay for two reshapes; rows that fill tiles stay as they are.
// CHECK-LABEL: func.func @alone
// CHECK-NOT: ttir.reshape
func.func @alone(%x: tensor<4x1x64xbf16>, %y: tensor<4x64x64xbf16>) -> (tensor<4x1x64xbf16>, tensor<4x64x64xbf16>) {
  %0 = "ttir.exp"(%x) : (tensor<4x1x64xbf16>) -> tensor<4x1x64xbf16>
  %1 = "ttir.exp"(%y) : (tensor<4x64x64xbf16>) -> tensor<4x64x64xbf16>
  return %0, %1 : tensor<4x1x64xbf16>, tensor<4x64x64xbf16>
}
