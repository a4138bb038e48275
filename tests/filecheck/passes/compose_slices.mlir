// RUN: ttstack opt %s -p "compose-slices,canonicalize,cse" | filecheck %s

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
