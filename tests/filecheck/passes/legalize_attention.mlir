// RUN: ttstack opt %s -p "legalize-attention" | filecheck %s

// A mask of one row is repeated for all queries, and heads of 16 are filled up; the scale stays that of 16.
// CHECK-LABEL: @narrow
func.func @narrow(%q: tensor<1x2x64x16xbf16>, %k: tensor<1x2x96x16xbf16>, %v: tensor<1x2x96x16xbf16>,
                  %mask: tensor<1x1x1x96xbf16>) -> tensor<1x2x64x16xbf16> {
  // CHECK-COUNT-3: ttir.pad{{.*}}padding = array<i32: 0, 0, 0, 0, 0, 0, 0, 16>
  // CHECK: ttir.broadcast{{.*}} -> tensor<1x1x64x96xbf16>
  // CHECK: scaled_dot_product_attention{{.*}}scale = 2.500000e-01{{.*}} -> tensor<1x2x64x32xbf16>
  // CHECK: ttir.slice_static{{.*}} -> tensor<1x2x64x16xbf16>
  %0 = "ttir.scaled_dot_product_attention"(%q, %k, %v, %mask) <{is_causal = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0>}>
    : (tensor<1x2x64x16xbf16>, tensor<1x2x96x16xbf16>, tensor<1x2x96x16xbf16>, tensor<1x1x1x96xbf16>) -> tensor<1x2x64x16xbf16>
  return %0 : tensor<1x2x64x16xbf16>
}

// CHECK-LABEL: @fits
func.func @fits(%q: tensor<1x2x64x64xbf16>) -> tensor<1x2x64x64xbf16> {
  // CHECK-NEXT: scaled_dot_product_attention
  // CHECK-NEXT: return
  %0 = "ttir.scaled_dot_product_attention"(%q, %q, %q) <{is_causal = true, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>}>
    : (tensor<1x2x64x64xbf16>, tensor<1x2x64x64xbf16>, tensor<1x2x64x64xbf16>) -> tensor<1x2x64x64xbf16>
  return %0 : tensor<1x2x64x64xbf16>
}
