// RUN: ttstack opt %s --system-desc wormhole -p "hoist-slices" | filecheck %s

// Only the last token's scores are computed, and only its row of the norm before them.
// CHECK-LABEL: func.func @last
// CHECK: %[[X:.*]] = "ttir.slice_static"(%arg0) {{.*}} -> tensor<1x1x256xbf16>
// CHECK: %[[N:.*]] = "ttir.rms_norm"(%[[X]]) {{.*}} -> tensor<1x1x256xbf16>
// CHECK: %[[P:.*]] = "ttir.matmul"(%[[N]], %arg1) : (tensor<1x1x256xbf16>, tensor<256x4096xbf16>)
// CHECK: return %[[P]]
func.func @last(%x: tensor<1x128x256xbf16>, %w: tensor<256x4096xbf16>) -> tensor<1x1x4096xbf16> {
  %0 = "ttir.rms_norm"(%x) <{normalized_shape = array<i64: 256>, operandSegmentSizes = array<i32: 1, 0, 0>}> : (tensor<1x128x256xbf16>) -> tensor<1x128x256xbf16>
  %1 = "ttir.matmul"(%0, %w) : (tensor<1x128x256xbf16>, tensor<256x4096xbf16>) -> tensor<1x128x4096xbf16>
  %2 = "ttir.slice_static"(%1) <{begins = [0 : i32, 127 : i32, 0 : i32], ends = [1 : i32, 128 : i32, 4096 : i32], step = [1 : i32, 1 : i32, 1 : i32]}> : (tensor<1x128x4096xbf16>) -> tensor<1x1x4096xbf16>
  return %2 : tensor<1x1x4096xbf16>
}

// What others read too is computed; columns are no rows.
// CHECK-LABEL: func.func @read
// CHECK: %[[P:.*]] = "ttir.matmul"(%arg0, %arg1) : (tensor<1x128x256xbf16>
// CHECK: "ttir.slice_static"(%[[P]])
func.func @read(%x: tensor<1x128x256xbf16>, %w: tensor<256x4096xbf16>) -> (tensor<1x1x4096xbf16>, tensor<1x128x4096xbf16>) {
  %1 = "ttir.matmul"(%x, %w) : (tensor<1x128x256xbf16>, tensor<256x4096xbf16>) -> tensor<1x128x4096xbf16>
  %2 = "ttir.slice_static"(%1) <{begins = [0 : i32, 127 : i32, 0 : i32], ends = [1 : i32, 128 : i32, 4096 : i32], step = [1 : i32, 1 : i32, 1 : i32]}> : (tensor<1x128x4096xbf16>) -> tensor<1x1x4096xbf16>
  return %2, %1 : tensor<1x1x4096xbf16>, tensor<1x128x4096xbf16>
}
