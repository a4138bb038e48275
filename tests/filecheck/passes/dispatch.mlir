// RUN: ttstack opt %s -p "dispatch" | filecheck %s
// CHECK-DAG: [[ROWS:#map.*]] = affine_map<(d0, d1, d2) -> (d0, d2)>
// CHECK-DAG: [[COLUMNS:#map.*]] = affine_map<(d0, d1, d2) -> (d2, d1)>
// CHECK-LABEL: func.func @product
// CHECK: [[OUT:%.+]] = "ttir.empty"() : () -> tensor<64x96xbf16>
// CHECK-NEXT: "ttir.generic"(%arg0, %arg1, [[OUT]]) ({
// CHECK: "ttir.tile_matmul"
// CHECK: "ttir.tile_relu"
// CHECK-NEXT: "ttir.yield"
// CHECK-NEXT: access = ["multicast", "multicast", "local"]
// CHECK-SAME: iterator_types = ["parallel", "parallel", "reduction"]
func.func @product(%a: tensor<64x32xbf16>, %b: tensor<32x96xbf16>) -> tensor<64x96xbf16> {
  %0 = "ttir.matmul"(%a, %b) {activation = "relu"} : (tensor<64x32xbf16>, tensor<32x96xbf16>) -> tensor<64x96xbf16>
  return %0 : tensor<64x96xbf16>
}
// CHECK-LABEL: func.func @attributes_stay
// CHECK: "ttir.tile_leaky_relu"(%{{.*}}) {parameter = 5.000000e-01 : f32}
// CHECK: "ttir.tile_typecast"(%{{.*}}) {{.*}}: (!tt.tile<[32, 32], bf16>) -> !tt.tile<[32, 32], f32>
func.func @attributes_stay(%a: tensor<4x4xbf16>) -> tensor<4x4xf32> {
  %0 = "ttir.leaky_relu"(%a) {parameter = 0.5 : f32} : (tensor<4x4xbf16>) -> tensor<4x4xbf16>
  %1 = "ttir.typecast"(%0) : (tensor<4x4xbf16>) -> tensor<4x4xf32>
  return %1 : tensor<4x4xf32>
}
// Reductions in a region are passes over rows; what crosses tiles keeps its name.
// CHECK-LABEL: func.func @named
// CHECK: "ttir.tile_reduce_sum"
// CHECK: source = "softmax", source_attributes = {dimension = -1 : si32}
// CHECK-NEXT: "ttir.reshape"
func.func @named(%a: tensor<4x4xf32>) -> tensor<2x8xf32> {
  %0 = "ttir.softmax"(%a) {dimension = -1 : si32} : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = "ttir.reshape"(%0) {shape = [2 : i32, 8 : i32]} : (tensor<4x4xf32>) -> tensor<2x8xf32>
  return %1 : tensor<2x8xf32>
}
// Half a tile transposed with its leading dimension is no map of tiles.
// CHECK-LABEL: func.func @permutations
// CHECK: "ttir.tile_transpose"
// CHECK: "ttir.permute"
func.func @permutations(%a: tensor<2x32x64xf32>) -> (tensor<2x64x32xf32>, tensor<32x2x64xf32>) {
  %0 = "ttir.permute"(%a) {permutation = array<i64: 0, 2, 1>} : (tensor<2x32x64xf32>) -> tensor<2x64x32xf32>
  %1 = "ttir.permute"(%a) {permutation = array<i64: 1, 0, 2>} : (tensor<2x32x64xf32>) -> tensor<32x2x64xf32>
  return %0, %1 : tensor<2x64x32xf32>, tensor<32x2x64xf32>
}
// A lookup in Tensor-Train form picks slices by the digits of its index, and multiplies them.
// CHECK-LABEL: func.func @lookup
// CHECK: [[A:%.+]] = "ttir.tile_group"(%{{.*}}) {columns = 2 : i64}
// CHECK-NEXT: [[B:%.+]] = "ttir.tile_matmul"([[A]], %{{.*}}, %{{.*}})
// CHECK-NEXT: [[C:%.+]] = "ttir.tile_weigh"([[B]], %{{.*}})
// CHECK-NEXT: "ttir.tile_pool"([[C]], %{{.*}}) {include_last_offset = false, mode = "sum", padding_idx = 3 : i64}
// CHECK: access = ["gather", "indirect", "indirect", "gather", "gather", "gather"], index_bound = 49 : i64
func.func @lookup(%i: tensor<40xi64>, %a: tensor<10x1x8xf32>, %b: tensor<5x4x3xf32>, %o: tensor<9xi64>, %w: tensor<40xf32>) -> tensor<9x6xf32> {
  %0 = "ttir.tensor_train_embedding_bag"(%i, %a, %b, %o, %w) {padding_idx = 3 : i64, train = #tt.tensor_train<{rows = 49, columns = 6, row_factors = [10, 5], column_factors = [2, 3], ranks = [1, 4, 1], element = f32}>} : (tensor<40xi64>, tensor<10x1x8xf32>, tensor<5x4x3xf32>, tensor<9xi64>, tensor<40xf32>) -> tensor<9x6xf32>
  return %0 : tensor<9x6xf32>
}
