// RUN: ttstack opt %s -p "dispatch,fold-transposes-into-maps,canonicalize" | filecheck %s
// RUN: ttstack opt %s -p "dispatch,fold-transposes-into-maps{transposes=false},canonicalize" | filecheck %s --check-prefix=KEPT
// CHECK-DAG: [[A:#map.*]] = affine_map<(d0, d1, d2) -> (d2, d0)>
// CHECK-DAG: [[B:#map.*]] = affine_map<(d0, d1, d2) -> (d1, d2)>
// CHECK-DAG: [[ROW:#map.*]] = affine_map<(d0, d1) -> (0, d1)>
// CHECK-DAG: [[ONE:#map.*]] = affine_map<(d0, d1, d2, d3) -> (0, d3, d2)>
// CHECK-LABEL: func.func @products
// CHECK-NOT: "ttir.tile_transpose"
// CHECK: "ttir.tile_matmul"
// CHECK: indexing_maps = {{\[}}[[A]], [[B]], {{.*}}], {{.*}}source = "matmul", source_attributes = {activation = "relu"}
// CHECK-NEXT: return
// KEPT-LABEL: func.func @products
// KEPT: "ttir.tile_transpose"
// KEPT: "ttir.tile_transpose"
// KEPT: source = "matmul", source_attributes = {activation = "relu"}
func.func @products(%a: tensor<64x32xbf16>, %b: tensor<96x64xbf16>) -> tensor<32x96xbf16> {
  %0 = "ttir.transpose"(%a) {dim0 = 0 : si32, dim1 = 1 : si32} : (tensor<64x32xbf16>) -> tensor<32x64xbf16>
  %1 = "ttir.permute"(%b) {permutation = array<i64: 1, 0>} : (tensor<96x64xbf16>) -> tensor<64x96xbf16>
  %2 = "ttir.matmul"(%0, %1) {activation = "relu"} : (tensor<32x64xbf16>, tensor<64x96xbf16>) -> tensor<32x96xbf16>
  return %2 : tensor<32x96xbf16>
}
// One matrix for a whole batch, and one row for all: the tiles that there are are read.
// CHECK-LABEL: func.func @broadcasts
// CHECK: "ttir.tile_matmul"
// CHECK: [[ONE]]
// CHECK: "ttir.tile_multiply"
// CHECK: [[ROW]]
// CHECK-SAME: (tensor<1x96xbf16>, tensor<64x96xbf16>, tensor<64x96xbf16>)
// CHECK-NEXT: return
func.func @broadcasts(%a: tensor<8x64x32xbf16>, %b: tensor<1x32x64xbf16>, %x: tensor<64x96xbf16>, %r: tensor<1x96xbf16>) -> (tensor<8x64x64xbf16>, tensor<64x96xbf16>) {
  %0 = "ttir.broadcast"(%b) {broadcast_dimensions = array<i64: 8, 1, 1>} : (tensor<1x32x64xbf16>) -> tensor<8x32x64xbf16>
  %1 = "ttir.matmul"(%a, %0) : (tensor<8x64x32xbf16>, tensor<8x32x64xbf16>) -> tensor<8x64x64xbf16>
  %2 = "ttir.broadcast"(%r) {broadcast_dimensions = array<i64: 64, 1>} : (tensor<1x96xbf16>) -> tensor<64x96xbf16>
  %3 = "ttir.multiply"(%2, %x) : (tensor<64x96xbf16>, tensor<64x96xbf16>) -> tensor<64x96xbf16>
  return %1, %3 : tensor<8x64x64xbf16>, tensor<64x96xbf16>
}
// An elementwise op takes no transposed tiles, a result is no larger than its operands, a product repeats no first
// operand, no part of a batch and no rows; and what one reader cannot take stays for all.
// CHECK-LABEL: func.func @ops_of_their_own
// CHECK: "ttir.tile_transpose"
// CHECK: "ttir.tile_add"
// CHECK: "ttir.tile_copy"
// CHECK: "ttir.tile_exp"
// CHECK: "ttir.tile_copy"
// CHECK: "ttir.tile_matmul"
// CHECK: "ttir.tile_copy"
// CHECK: "ttir.tile_matmul"
// CHECK: "ttir.tile_transpose"
// CHECK: source = "matmul"}
func.func @ops_of_their_own(%x: tensor<64x64xbf16>, %r: tensor<1x64xbf16>, %a: tensor<1x2x64x64xbf16>, %b: tensor<4x2x64x64xbf16>, %h: tensor<4x1x64x64xbf16>) -> (tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<4x2x64x64xbf16>, tensor<4x2x64x64xbf16>, tensor<64x64xbf16>) {
  %0 = "ttir.transpose"(%x) {dim0 = 0 : si32, dim1 = 1 : si32} : (tensor<64x64xbf16>) -> tensor<64x64xbf16>
  %1 = "ttir.add"(%x, %0) : (tensor<64x64xbf16>, tensor<64x64xbf16>) -> tensor<64x64xbf16>
  %2 = "ttir.broadcast"(%r) {broadcast_dimensions = array<i64: 64, 1>} : (tensor<1x64xbf16>) -> tensor<64x64xbf16>
  %3 = "ttir.exp"(%2) : (tensor<64x64xbf16>) -> tensor<64x64xbf16>
  %4 = "ttir.broadcast"(%a) {broadcast_dimensions = array<i64: 4, 1, 1, 1>} : (tensor<1x2x64x64xbf16>) -> tensor<4x2x64x64xbf16>
  %5 = "ttir.matmul"(%4, %b) : (tensor<4x2x64x64xbf16>, tensor<4x2x64x64xbf16>) -> tensor<4x2x64x64xbf16>
  %6 = "ttir.broadcast"(%h) {broadcast_dimensions = array<i64: 1, 2, 1, 1>} : (tensor<4x1x64x64xbf16>) -> tensor<4x2x64x64xbf16>
  %7 = "ttir.matmul"(%b, %6) : (tensor<4x2x64x64xbf16>, tensor<4x2x64x64xbf16>) -> tensor<4x2x64x64xbf16>
  %8 = "ttir.transpose"(%1) {dim0 = 0 : si32, dim1 = 1 : si32} : (tensor<64x64xbf16>) -> tensor<64x64xbf16>
  %9 = "ttir.matmul"(%x, %8) : (tensor<64x64xbf16>, tensor<64x64xbf16>) -> tensor<64x64xbf16>
  %10 = "ttir.add"(%8, %9) : (tensor<64x64xbf16>, tensor<64x64xbf16>) -> tensor<64x64xbf16>
  return %1, %3, %5, %7, %10 : tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<4x2x64x64xbf16>, tensor<4x2x64x64xbf16>, tensor<64x64xbf16>
}
// Where the operand is overwritten, reading it later would take a copy.
// CHECK-LABEL: func.func @overwritten
// CHECK: "ttir.tile_transpose"
// CHECK: "ttir.fill_cache"
// CHECK: "ttir.tile_matmul"
func.func @overwritten(%c: tensor<1x1x64x64xf32>, %u: tensor<1x1x64x64xf32>, %x: tensor<1x1x32x64xf32>) -> tensor<1x1x32x64xf32> {
  %0 = "ttir.transpose"(%c) {dim0 = 2 : si32, dim1 = 3 : si32} : (tensor<1x1x64x64xf32>) -> tensor<1x1x64x64xf32>
  %1 = "ttir.fill_cache"(%c, %u) {batch_offset = 0 : i32} : (tensor<1x1x64x64xf32>, tensor<1x1x64x64xf32>) -> tensor<1x1x64x64xf32>
  %2 = "ttir.matmul"(%x, %0) : (tensor<1x1x32x64xf32>, tensor<1x1x64x64xf32>) -> tensor<1x1x32x64xf32>
  return %2 : tensor<1x1x32x64xf32>
}
// Attention repeats a mask for batches and heads, not for rows.
// CHECK-LABEL: func.func @masks
// CHECK-NOT: "ttir.tile_copy"
// CHECK: source = "scaled_dot_product_attention"{{.*}} (tensor<2x4x32x64xbf16>, tensor<2x4x32x64xbf16>, tensor<2x4x32x64xbf16>, tensor<1x1x32x32xbf16>,
// CHECK: "ttir.tile_copy"
// CHECK: source = "scaled_dot_product_attention"
func.func @masks(%q: tensor<2x4x32x64xbf16>, %m: tensor<1x1x32x32xbf16>, %r: tensor<2x1x1x32xbf16>) -> (tensor<2x4x32x64xbf16>, tensor<2x4x32x64xbf16>) {
  %0 = "ttir.broadcast"(%m) {broadcast_dimensions = array<i64: 2, 4, 1, 1>} : (tensor<1x1x32x32xbf16>) -> tensor<2x4x32x32xbf16>
  %1 = "ttir.scaled_dot_product_attention"(%q, %q, %q, %0) <{operandSegmentSizes = array<i32: 1, 1, 1, 1, 0>}> {is_causal = false} : (tensor<2x4x32x64xbf16>, tensor<2x4x32x64xbf16>, tensor<2x4x32x64xbf16>, tensor<2x4x32x32xbf16>) -> tensor<2x4x32x64xbf16>
  %2 = "ttir.broadcast"(%r) {broadcast_dimensions = array<i64: 1, 1, 32, 1>} : (tensor<2x1x1x32xbf16>) -> tensor<2x1x32x32xbf16>
  %3 = "ttir.scaled_dot_product_attention"(%q, %q, %q, %2) <{operandSegmentSizes = array<i32: 1, 1, 1, 1, 0>}> {is_causal = false} : (tensor<2x4x32x64xbf16>, tensor<2x4x32x64xbf16>, tensor<2x4x32x64xbf16>, tensor<2x1x32x32xbf16>) -> tensor<2x4x32x64xbf16>
  return %1, %3 : tensor<2x4x32x64xbf16>, tensor<2x4x32x64xbf16>
}
