// RUN: ttstack opt %s -p "channels-last,canonicalize-movement,pointwise-convolution-to-matmul,fuse,canonicalize" | filecheck %s

// A convolution of single pixels is a product with its weights as a matrix, and has the activation after it.
// CHECK-LABEL: func.func @single
// CHECK: %[[W:.*]] = "ttir.reshape"(%arg1) {shape = [64 : i32, 32 : i32]}
// CHECK: "ttir.linear"(%{{.*}}, %[[W]], %{{.*}}) {activation = "relu", transpose_b = true} : (tensor<1x1x49x32xbf16>, tensor<64x32xbf16>, tensor<64xbf16>) -> tensor<1x1x49x64xbf16>
// CHECK-NOT: ttir.conv2d
// CHECK: return
func.func @single(%x: tensor<1x32x7x7xbf16>, %w: tensor<64x32x1x1xbf16> {tt.argument_type = #tt.argument_type<"parameter">}, %b: tensor<1x64x1x1xbf16> {tt.argument_type = #tt.argument_type<"parameter">}) -> tensor<1x64x7x7xbf16> {
  %0 = "ttir.conv2d"(%x, %w, %b) {batch_dim = 0 : i64, channel_dim = 1 : i64, height_dim = 2 : i64, width_dim = 3 : i64, stride = 1 : i32, padding = 0 : i32, dilation = 1 : i32, groups = 1 : i32} : (tensor<1x32x7x7xbf16>, tensor<64x32x1x1xbf16>, tensor<1x64x1x1xbf16>) -> tensor<1x64x7x7xbf16>
  %1 = "ttir.relu"(%0) : (tensor<1x64x7x7xbf16>) -> tensor<1x64x7x7xbf16>
  return %1 : tensor<1x64x7x7xbf16>
}
// Weights that are computed stay as they are made; one of every two pixels, and groups, are windows.
// CHECK-LABEL: func.func @others
// CHECK-COUNT-3: "ttir.conv2d"
// CHECK-NOT: ttir.linear
// CHECK: return
func.func @others(%x: tensor<1x32x8x8xbf16>, %made: tensor<64x32x1x1xbf16>, %w: tensor<64x32x1x1xbf16> {tt.argument_type = #tt.argument_type<"parameter">}, %g: tensor<64x16x1x1xbf16> {tt.argument_type = #tt.argument_type<"parameter">}) -> (tensor<1x64x8x8xbf16>, tensor<1x64x4x4xbf16>, tensor<1x64x8x8xbf16>) {
  %0 = "ttir.conv2d"(%x, %made) {batch_dim = 0 : i64, channel_dim = 1 : i64, height_dim = 2 : i64, width_dim = 3 : i64, stride = 1 : i32, padding = 0 : i32, dilation = 1 : i32, groups = 1 : i32} : (tensor<1x32x8x8xbf16>, tensor<64x32x1x1xbf16>) -> tensor<1x64x8x8xbf16>
  %1 = "ttir.conv2d"(%x, %w) {batch_dim = 0 : i64, channel_dim = 1 : i64, height_dim = 2 : i64, width_dim = 3 : i64, stride = 2 : i32, padding = 0 : i32, dilation = 1 : i32, groups = 1 : i32} : (tensor<1x32x8x8xbf16>, tensor<64x32x1x1xbf16>) -> tensor<1x64x4x4xbf16>
  %2 = "ttir.conv2d"(%x, %g) {batch_dim = 0 : i64, channel_dim = 1 : i64, height_dim = 2 : i64, width_dim = 3 : i64, stride = 1 : i32, padding = 0 : i32, dilation = 1 : i32, groups = 2 : i32} : (tensor<1x32x8x8xbf16>, tensor<64x16x1x1xbf16>) -> tensor<1x64x8x8xbf16>
  return %0, %1, %2 : tensor<1x64x8x8xbf16>, tensor<1x64x4x4xbf16>, tensor<1x64x8x8xbf16>
}
