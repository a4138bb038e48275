// RUN: ttstack opt %s -p "fuse-row-scale" | filecheck %s
// RUN: ttstack opt %s -p "fuse-row-scale,canonicalize" > %t.mlir
// RUN: filecheck %s --input-file=%t.mlir

// A product with one number for each row is the op.
// CHECK-LABEL: func.func @rows
// CHECK: "ttir.row_scale"(%{{.*}}, %{{.*}}) : (tensor<32x64xf32>, tensor<32x1xf32>) -> tensor<32x64xf32>
// CHECK-NOT: ttir.multiply
func.func @rows(%x: tensor<32x64xf32>, %s: tensor<32x1xf32>) -> tensor<32x64xf32> {
  %0 = "ttir.multiply"(%x, %s) : (tensor<32x64xf32>, tensor<32x1xf32>) -> tensor<32x64xf32>
  return %0 : tensor<32x64xf32>
}

// A product with one number for each column is not.
// CHECK-LABEL: func.func @columns
// CHECK-NOT: ttir.row_scale
// CHECK: ttir.multiply
func.func @columns(%x: tensor<32x64xf32>, %s: tensor<1x64xf32>) -> tensor<32x64xf32> {
  %0 = "ttir.multiply"(%x, %s) : (tensor<32x64xf32>, tensor<1x64xf32>) -> tensor<32x64xf32>
  return %0 : tensor<32x64xf32>
}
