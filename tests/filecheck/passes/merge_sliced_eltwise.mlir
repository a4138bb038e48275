// RUN: ttstack opt %s --system-desc wormhole -p "merge-sliced-eltwise,compose-slices,canonicalize,cse" | filecheck %s

// Two gates are one addition and one sigmoid; the third, whose sum is formed otherwise, stays apart.
// CHECK-LABEL: func.func @gates
// CHECK: %[[A:.*]] = "ttir.slice_static"(%arg0) {{.*}} -> tensor<8x256xbf16>
// CHECK: %[[B:.*]] = "ttir.slice_static"(%arg1) {{.*}} -> tensor<8x256xbf16>
// CHECK: %[[S:.*]] = "ttir.add"(%[[A]], %[[B]]) {{.*}} -> tensor<8x256xbf16>
// CHECK: %[[G:.*]] = "ttir.sigmoid"(%[[S]])
// CHECK-NOT: ttir.sigmoid
// CHECK: %[[R:.*]] = "ttir.slice_static"(%[[G]]) {begins = [0 : i32, 0 : i32], ends = [8 : i32, 128 : i32]
// CHECK: %[[Z:.*]] = "ttir.slice_static"(%[[G]]) {begins = [0 : i32, 128 : i32], ends = [8 : i32, 256 : i32]
// CHECK: return %[[R]], %[[Z]]
func.func @gates(%x: tensor<8x384xbf16>, %h: tensor<8x384xbf16>) -> (tensor<8x128xbf16>, tensor<8x128xbf16>) {
  %0 = "ttir.slice_static"(%x) <{begins = [0 : i32, 0 : i32], ends = [8 : i32, 128 : i32], step = [1 : i32, 1 : i32]}> : (tensor<8x384xbf16>) -> tensor<8x128xbf16>
  %1 = "ttir.slice_static"(%h) <{begins = [0 : i32, 0 : i32], ends = [8 : i32, 128 : i32], step = [1 : i32, 1 : i32]}> : (tensor<8x384xbf16>) -> tensor<8x128xbf16>
  %2 = "ttir.add"(%0, %1) : (tensor<8x128xbf16>, tensor<8x128xbf16>) -> tensor<8x128xbf16>
  %3 = "ttir.sigmoid"(%2) : (tensor<8x128xbf16>) -> tensor<8x128xbf16>
  %4 = "ttir.slice_static"(%x) <{begins = [0 : i32, 128 : i32], ends = [8 : i32, 256 : i32], step = [1 : i32, 1 : i32]}> : (tensor<8x384xbf16>) -> tensor<8x128xbf16>
  %5 = "ttir.slice_static"(%h) <{begins = [0 : i32, 128 : i32], ends = [8 : i32, 256 : i32], step = [1 : i32, 1 : i32]}> : (tensor<8x384xbf16>) -> tensor<8x128xbf16>
  %6 = "ttir.add"(%4, %5) : (tensor<8x128xbf16>, tensor<8x128xbf16>) -> tensor<8x128xbf16>
  %7 = "ttir.sigmoid"(%6) : (tensor<8x128xbf16>) -> tensor<8x128xbf16>
  return %3, %7 : tensor<8x128xbf16>, tensor<8x128xbf16>
}

// Three of four gates of a product are one function of all of it: computing the fourth as well costs less than two ops.
// CHECK-LABEL: func.func @spanned
// CHECK: "ttir.sigmoid"(%arg0) : (tensor<8x512xbf16>)
// CHECK-NOT: ttir.sigmoid
func.func @spanned(%x: tensor<8x512xbf16>) -> (tensor<8x128xbf16>, tensor<8x128xbf16>, tensor<8x128xbf16>) {
  %0 = "ttir.slice_static"(%x) <{begins = [0 : i32, 0 : i32], ends = [8 : i32, 128 : i32], step = [1 : i32, 1 : i32]}> : (tensor<8x512xbf16>) -> tensor<8x128xbf16>
  %1 = "ttir.slice_static"(%x) <{begins = [0 : i32, 128 : i32], ends = [8 : i32, 256 : i32], step = [1 : i32, 1 : i32]}> : (tensor<8x512xbf16>) -> tensor<8x128xbf16>
  %2 = "ttir.slice_static"(%x) <{begins = [0 : i32, 384 : i32], ends = [8 : i32, 512 : i32], step = [1 : i32, 1 : i32]}> : (tensor<8x512xbf16>) -> tensor<8x128xbf16>
  %3 = "ttir.sigmoid"(%0) : (tensor<8x128xbf16>) -> tensor<8x128xbf16>
  %4 = "ttir.sigmoid"(%1) : (tensor<8x128xbf16>) -> tensor<8x128xbf16>
  %5 = "ttir.sigmoid"(%2) : (tensor<8x128xbf16>) -> tensor<8x128xbf16>
  return %3, %4, %5 : tensor<8x128xbf16>, tensor<8x128xbf16>, tensor<8x128xbf16>
}

// Two columns at either end of a long row are not worth all between them, nor are large tensors that are cut anyway.
// CHECK-LABEL: func.func @apart
// CHECK-COUNT-2: ttir.exp
func.func @apart(%x: tensor<1024x65536xbf16>) -> (tensor<1024x32xbf16>, tensor<1024x32xbf16>) {
  %0 = "ttir.slice_static"(%x) <{begins = [0 : i32, 0 : i32], ends = [1024 : i32, 32 : i32], step = [1 : i32, 1 : i32]}> : (tensor<1024x65536xbf16>) -> tensor<1024x32xbf16>
  %1 = "ttir.slice_static"(%x) <{begins = [0 : i32, 65504 : i32], ends = [1024 : i32, 65536 : i32], step = [1 : i32, 1 : i32]}> : (tensor<1024x65536xbf16>) -> tensor<1024x32xbf16>
  %2 = "ttir.exp"(%0) : (tensor<1024x32xbf16>) -> tensor<1024x32xbf16>
  %3 = "ttir.exp"(%1) : (tensor<1024x32xbf16>) -> tensor<1024x32xbf16>
  return %2, %3 : tensor<1024x32xbf16>, tensor<1024x32xbf16>
}

// A step of a sequence and the columns of a gate are one slice.
// CHECK-LABEL: func.func @gate
// CHECK: %[[S:.*]] = "ttir.slice_static"(%arg0) {begins = [3 : i32, 0 : i32, 128 : i32], ends = [4 : i32, 8 : i32, 256 : i32]
// CHECK: %[[R:.*]] = "ttir.reshape"(%[[S]]) {{.*}} -> tensor<8x128xbf16>
// CHECK: return %[[R]]
func.func @gate(%x: tensor<6x8x384xbf16>) -> tensor<8x128xbf16> {
  %0 = "ttir.slice_static"(%x) <{begins = [3 : i32, 0 : i32, 0 : i32], ends = [4 : i32, 8 : i32, 384 : i32], step = [1 : i32, 1 : i32, 1 : i32]}> : (tensor<6x8x384xbf16>) -> tensor<1x8x384xbf16>
  %1 = "ttir.reshape"(%0) <{shape = [8 : i32, 384 : i32]}> : (tensor<1x8x384xbf16>) -> tensor<8x384xbf16>
  %2 = "ttir.slice_static"(%1) <{begins = [0 : i32, 128 : i32], ends = [8 : i32, 256 : i32], step = [1 : i32, 1 : i32]}> : (tensor<8x384xbf16>) -> tensor<8x128xbf16>
  return %2 : tensor<8x128xbf16>
}
