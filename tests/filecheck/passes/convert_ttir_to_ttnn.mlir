// RUN: ttstack opt %s --system-desc wormhole -p "dispatch,assign-grids,place{placement=dram},convert-ttir-to-ttnn,canonicalize" | filecheck %s
// CHECK-NOT: ttir.
// CHECK-LABEL: func.func @named
// CHECK: [[A:%.+]] = "ttnn.add"(%arg0, %arg1)
// CHECK-SAME: tt.grid = #tt.grid<[1, 4]>
// CHECK-SAME: -> tensor<64x64xf32, #dram_2x2_f32>
// CHECK-NEXT: [[M:%.+]] = "ttnn.matmul"([[A]], %arg0) {activation = "relu"
// CHECK-SAME: per_core_M = 2
// CHECK-NEXT: "ttnn.softmax"([[M]]) {dimension = 1 : si32
// CHECK-NEXT: return
func.func @named(%a: tensor<64x64xf32>, %b: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = "ttir.add"(%a, %b) : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %1 = "ttir.matmul"(%0, %a) {activation = "relu"} : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %2 = "ttir.softmax"(%1) {dimension = 1 : si32} : (tensor<64x64xf32>) -> tensor<64x64xf32>
  return %2 : tensor<64x64xf32>
}
// Optional operands keep their places.
// CHECK-LABEL: func.func @optional
// CHECK: "ttnn.layer_norm"(%arg0, %arg1) {{.*}}operandSegmentSizes = array<i32: 1, 0, 1, 0>
func.func @optional(%a: tensor<64x64xf32>, %b: tensor<64xf32>) -> tensor<64x64xf32> {
  %0 = "ttir.layer_norm"(%a, %b) {normalized_shape = array<i64: 64>, operandSegmentSizes = array<i32: 1, 0, 1>} : (tensor<64x64xf32>, tensor<64xf32>) -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}
// A region of several ops stays one op.
// CHECK-LABEL: func.func @region
// CHECK: "ttnn.generic"(%arg0, %arg1)
// CHECK: "ttnn.tile_exp"
// CHECK-NEXT: "ttnn.tile_multiply"
// CHECK-NEXT: "ttnn.yield"
// CHECK: return
#id = affine_map<(d0, d1) -> (d0, d1)>
func.func @region(%a: tensor<64x64xf32>, %b: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %e = "ttir.empty"() : () -> tensor<64x64xf32>
  %0 = "ttir.generic"(%a, %b, %e) ({
  ^bb0(%x: !tt.tile<[32, 32], f32>, %y: !tt.tile<[32, 32], f32>, %o: !tt.tile<[32, 32], f32>):
    %1 = "ttir.tile_exp"(%x) : (!tt.tile<[32, 32], f32>) -> !tt.tile<[32, 32], f32>
    %2 = "ttir.tile_multiply"(%1, %y) : (!tt.tile<[32, 32], f32>, !tt.tile<[32, 32], f32>) -> !tt.tile<[32, 32], f32>
    "ttir.yield"(%2) : (!tt.tile<[32, 32], f32>) -> ()
  }) {access = ["local", "local", "local"], indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} : (tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}
