// RUN: ttstack opt %s --system-desc wormhole -p "dispatch,assign-grids,place" | filecheck %s
// RUN: ttstack opt %s --system-desc wormhole -p "dispatch,assign-grids,place{placement=dram}" | filecheck %s --check-prefix=DRAM
// RUN: ttstack opt %s --system-desc wormhole -p "dispatch,assign-grids,place{dtype=bfp8_b}" | filecheck %s --check-prefix=BFP8
// RUN: not ttstack opt %s --system-desc wormhole -p "place{placement=best}" 2>&1 | filecheck %s --check-prefix=BAD
// BAD: error[TT0301]: bad options for 'place'
// BAD: placement: Input should be 'greedy', 'optimal' or 'dram'
// BAD: help: its options: dtype, {{.*}}placement, placement-budget
// Arguments come in DRAM, indices without a sign and tables in rows; what is returned goes to DRAM.
// CHECK-LABEL: func.func @lookup
// CHECK-SAME: %arg0: tensor<64xi32, #dram_{{.*}}_ui32_row_major>
// CHECK-SAME: %arg1: tensor<100x64xbf16, #dram_{{.*}}_bf16_row_major>
// CHECK: "ttir.embedding"
// CHECK-SAME: -> tensor<64x64xbf16, #{{.*}}_2x2_bf16>
// CHECK: "ttir.generic"
// CHECK: -> tensor<64x64xbf16, #dram_2x2_bf16>
// DRAM-LABEL: func.func @lookup
// DRAM-NOT: #l1_
// DRAM: return
// BFP8-LABEL: func.func @lookup
// BFP8-SAME: %arg1: tensor<100x64xbf16, #dram_{{.*}}_bf16_row_major>
// BFP8: "ttir.embedding"
// BFP8-SAME: -> tensor<64x64xbf16, #{{.*}}_bfp8_b>
func.func @lookup(%i: tensor<64xi32>, %w: tensor<100x64xbf16>) -> tensor<64x64xbf16> {
  %0 = "ttir.embedding"(%i, %w) : (tensor<64xi32>, tensor<100x64xbf16>) -> tensor<64x64xbf16>
  %1 = "ttir.exp"(%0) : (tensor<64x64xbf16>) -> tensor<64x64xbf16>
  return %1 : tensor<64x64xbf16>
}
// An index that is computed has to leave its tiles; so the conversion is there and has a place.
// CHECK-LABEL: func.func @computed_index
// CHECK: [[ROWS:%.+]] = "ttir.to_layout"({{.*}}tt.circular_buffer_bytes
// CHECK-NEXT: "ttir.embedding"([[ROWS]], %arg1)
func.func @computed_index(%i: tensor<64xi32>, %w: tensor<100x64xbf16>) -> tensor<64x64xbf16> {
  %0 = "ttir.multiply"(%i, %i) : (tensor<64xi32>, tensor<64xi32>) -> tensor<64xi32>
  %1 = "ttir.embedding"(%0, %w) : (tensor<64xi32>, tensor<100x64xbf16>) -> tensor<64x64xbf16>
  return %1 : tensor<64x64xbf16>
}
// A sum of lists of indices stays rows, without a sign.
// CHECK-LABEL: func.func @added_index
// CHECK-NOT: "ttir.to_layout"
// CHECK: [[SUM:%.+]] = "ttir.generic"(%arg0, %arg0
// CHECK-NOT: "ttir.to_layout"
// CHECK: "ttir.embedding"([[SUM]], %arg1)
func.func @added_index(%i: tensor<64xi32>, %w: tensor<100x64xbf16>) -> tensor<64x64xbf16> {
  %0 = "ttir.add"(%i, %i) : (tensor<64xi32>, tensor<64xi32>) -> tensor<64xi32>
  %1 = "ttir.embedding"(%0, %w) : (tensor<64xi32>, tensor<100x64xbf16>) -> tensor<64x64xbf16>
  return %1 : tensor<64x64xbf16>
}
// A reshape of whole tiles moves nothing.
// CHECK-LABEL: func.func @views
// CHECK: "ttir.reshape"(%arg0) {{.*}}tt.view
// CHECK: "ttir.reshape"(%arg1)
// CHECK-NOT: tt.view
// CHECK: return
func.func @views(%a: tensor<64x32xf32>, %b: tensor<48x32xf32>) -> (tensor<2x32x32xf32>, tensor<2x24x32xf32>) {
  %0 = "ttir.reshape"(%a) {shape = [2 : i32, 32 : i32, 32 : i32]} : (tensor<64x32xf32>) -> tensor<2x32x32xf32>
  %1 = "ttir.reshape"(%b) {shape = [2 : i32, 24 : i32, 32 : i32]} : (tensor<48x32xf32>) -> tensor<2x24x32xf32>
  return %0, %1 : tensor<2x32x32xf32>, tensor<2x24x32xf32>
}
