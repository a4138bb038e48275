// RUN: ttstack opt %s -p "channels-last,canonicalize-movement,canonicalize" | filecheck %s
// Between two convolutions nothing moves: statistics, activation and residual take pixels in one dimension.
// CHECK-LABEL: func.func @block
// CHECK-COUNT-1: "ttir.permute"
// CHECK: "ttir.conv2d"({{.*}}flattened_compat_info = {{.*}} -> tensor<1x1x128x4xf32>
// CHECK-NEXT: "ttir.batch_norm_inference"({{.*}}dimension = 3 : i32{{.*}} -> tensor<1x1x128x4xf32>
// CHECK-NEXT: "ttir.relu"({{.*}} -> tensor<1x1x128x4xf32>
// CHECK-NEXT: "ttir.conv2d"({{.*}} -> tensor<1x1x128x4xf32>
// CHECK-NEXT: "ttir.add"({{.*}} -> tensor<1x1x128x4xf32>
// CHECK-NEXT: [[P:%.+]] = "ttir.reshape"({{.*}} -> tensor<2x64x4xf32>
// CHECK-NEXT: "ttir.mean"([[P]]) {dim_arg = [1 : i32]
func.func @block(%x: tensor<2x3x8x8xf32>, %w: tensor<4x3x3x3xf32>, %v: tensor<4x4x3x3xf32>, %s: tensor<4xf32>) -> tensor<2x4x1x1xf32> {
  %0 = "ttir.conv2d"(%x, %w) {batch_dim = 0 : i64, channel_dim = 1 : i64, height_dim = 2 : i64, width_dim = 3 : i64, stride = 1 : i32, padding = 1 : i32, dilation = 1 : i32, groups = 1 : i32} : (tensor<2x3x8x8xf32>, tensor<4x3x3x3xf32>) -> tensor<2x4x8x8xf32>
  %1 = "ttir.batch_norm_inference"(%0, %s, %s, %s, %s) {epsilon = 1.0e-05 : f32, dimension = 1 : i32} : (tensor<2x4x8x8xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<2x4x8x8xf32>
  %2 = "ttir.relu"(%1) : (tensor<2x4x8x8xf32>) -> tensor<2x4x8x8xf32>
  %3 = "ttir.conv2d"(%2, %v) {batch_dim = 0 : i64, channel_dim = 1 : i64, height_dim = 2 : i64, width_dim = 3 : i64, stride = 1 : i32, padding = 1 : i32, dilation = 1 : i32, groups = 1 : i32} : (tensor<2x4x8x8xf32>, tensor<4x4x3x3xf32>) -> tensor<2x4x8x8xf32>
  %4 = "ttir.add"(%2, %3) : (tensor<2x4x8x8xf32>, tensor<2x4x8x8xf32>) -> tensor<2x4x8x8xf32>
  %5 = "ttir.mean"(%4) {dim_arg = [2 : i32, 3 : i32], keep_dim = true} : (tensor<2x4x8x8xf32>) -> tensor<2x4x1x1xf32>
  return %5 : tensor<2x4x1x1xf32>
}
// One value for each channel of each image: the images stay apart.
// CHECK-LABEL: func.func @gate
// CHECK: "ttir.multiply"({{.*}}) : (tensor<2x1x64x4xf32>, tensor<2x1x1x4xf32>) -> tensor<2x1x64x4xf32>
func.func @gate(%x: tensor<2x8x8x4xf32>, %g: tensor<2x4x1x1xf32>) -> tensor<2x8x8x4xf32> {
  %0 = "ttir.permute"(%x) {permutation = array<i64: 0, 3, 1, 2>} : (tensor<2x8x8x4xf32>) -> tensor<2x4x8x8xf32>
  %1 = "ttir.multiply"(%0, %g) : (tensor<2x4x8x8xf32>, tensor<2x4x1x1xf32>) -> tensor<2x4x8x8xf32>
  %2 = "ttir.permute"(%1) {permutation = array<i64: 0, 2, 3, 1>} : (tensor<2x4x8x8xf32>) -> tensor<2x8x8x4xf32>
  return %2 : tensor<2x8x8x4xf32>
}
// A convolution adds the zeros around its images by itself; what is no zero, or around channels, stays.
// CHECK-LABEL: func.func @padded
// CHECK-NOT: ttir.pad
// CHECK: "ttir.conv2d"({{.*}}padding = array<i32: 1, 2, 2, 3>
// CHECK-LABEL: func.func @padded_by_ones
// CHECK: ttir.pad
func.func @padded(%x: tensor<1x3x8x8xf32>, %w: tensor<4x3x3x3xf32>) -> tensor<1x4x9x11xf32> {
  %0 = "ttir.pad"(%x) {padding = array<i32: 0, 0, 0, 0, 0, 1, 1, 2>, value = 0.0 : f32} : (tensor<1x3x8x8xf32>) -> tensor<1x3x9x11xf32>
  %1 = "ttir.conv2d"(%0, %w) {batch_dim = 0 : i64, channel_dim = 1 : i64, height_dim = 2 : i64, width_dim = 3 : i64, stride = 1 : i32, padding = 1 : i32, dilation = 1 : i32, groups = 1 : i32} : (tensor<1x3x9x11xf32>, tensor<4x3x3x3xf32>) -> tensor<1x4x9x11xf32>
  return %1 : tensor<1x4x9x11xf32>
}
func.func @padded_by_ones(%x: tensor<1x3x8x8xf32>, %w: tensor<4x3x3x3xf32>) -> tensor<1x4x8x8xf32> {
  %0 = "ttir.pad"(%x) {padding = array<i32: 0, 0, 0, 0, 1, 1, 1, 1>, value = 1.0 : f32} : (tensor<1x3x8x8xf32>) -> tensor<1x3x10x10xf32>
  %1 = "ttir.conv2d"(%0, %w) {batch_dim = 0 : i64, channel_dim = 1 : i64, height_dim = 2 : i64, width_dim = 3 : i64, stride = 1 : i32, padding = 0 : i32, dilation = 1 : i32, groups = 1 : i32} : (tensor<1x3x10x10xf32>, tensor<4x3x3x3xf32>) -> tensor<1x4x8x8xf32>
  return %1 : tensor<1x4x8x8xf32>
}
// One value for each image is one for each of its channels too.
// CHECK-LABEL: func.func @image_gate
// CHECK: "ttir.multiply"({{.*}}) : (tensor<2x1x64x4xf32>, tensor<2x1x1x1xf32>) -> tensor<2x1x64x4xf32>
func.func @image_gate(%x: tensor<2x8x8x4xf32>, %g: tensor<2x1x1x1xf32>) -> tensor<2x8x8x4xf32> {
  %0 = "ttir.permute"(%x) {permutation = array<i64: 0, 3, 1, 2>} : (tensor<2x8x8x4xf32>) -> tensor<2x4x8x8xf32>
  %1 = "ttir.multiply"(%0, %g) : (tensor<2x4x8x8xf32>, tensor<2x1x1x1xf32>) -> tensor<2x4x8x8xf32>
  %2 = "ttir.permute"(%1) {permutation = array<i64: 0, 2, 3, 1>} : (tensor<2x4x8x8xf32>) -> tensor<2x8x8x4xf32>
  return %2 : tensor<2x8x8x4xf32>
}
