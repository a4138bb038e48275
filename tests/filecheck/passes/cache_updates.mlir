// RUN: ttstack opt %s -p "version-buffers,cache-updates,canonicalize" | filecheck %s
// CHECK-LABEL: func.func @one_row
// CHECK-NEXT: [[NOW:%.+]] = "ttir.update_cache"(%arg0, %arg1, %arg2) {batch_offset = 0 : i32}
// CHECK-NEXT: return [[NOW]]
func.func @one_row(%cache: tensor<2x4x16x8xf32>, %row: tensor<2x4x1x8xf32>, %at: tensor<1xi64>) -> tensor<2x4x16x8xf32> {
  %0 = "ttir.reshape"(%at) {shape = [1 : i32, 1 : i32, 1 : i32, 1 : i32]} : (tensor<1xi64>) -> tensor<1x1x1x1xi64>
  %1 = "ttir.broadcast"(%0) {broadcast_dimensions = array<i64: 2, 4, 1, 8>} : (tensor<1x1x1x1xi64>) -> tensor<2x4x1x8xi64>
  %2 = "ttir.scatter"(%cache, %1, %row) {dim = 2 : i32} : (tensor<2x4x16x8xf32>, tensor<2x4x1x8xi64>, tensor<2x4x1x8xf32>) -> tensor<2x4x16x8xf32>
  "ttir.assign"(%cache, %2) : (tensor<2x4x16x8xf32>, tensor<2x4x16x8xf32>) -> ()
  return %2 : tensor<2x4x16x8xf32>
}
// CHECK-LABEL: func.func @known_rows
// CHECK-NEXT: [[FILLED:%.+]] = "ttir.fill_cache"(%arg0, %arg1)
// CHECK: [[AT:%.+]] = "ttir.constant"() {value = dense<3> : tensor<1xi32>}
// CHECK: "ttir.update_cache"([[FILLED]], %arg1, [[AT]])
// CHECK-NEXT: return
func.func @known_rows(%cache: tensor<2x4x16x8xf32>, %rows: tensor<2x4x3x8xf32>) {
  %0 = "ttir.slice_static"(%cache) {begins = [0 : i32, 0 : i32, 3 : i32, 0 : i32], ends = [2 : i32, 4 : i32, 16 : i32, 8 : i32], step = [1 : i32, 1 : i32, 1 : i32, 1 : i32]} : (tensor<2x4x16x8xf32>) -> tensor<2x4x13x8xf32>
  %1 = "ttir.concat"(%rows, %0) {dim = 2 : si32} : (tensor<2x4x3x8xf32>, tensor<2x4x13x8xf32>) -> tensor<2x4x16x8xf32>
  %2 = "ttir.arange"() {start = 3 : si64, end = 6 : si64, step = 1 : si64, arange_dimension = 0 : i64} : () -> tensor<3xi32>
  %3 = "ttir.reshape"(%2) {shape = [1 : i32, 1 : i32, 3 : i32, 1 : i32]} : (tensor<3xi32>) -> tensor<1x1x3x1xi32>
  %4 = "ttir.broadcast"(%3) {broadcast_dimensions = array<i64: 2, 4, 1, 8>} : (tensor<1x1x3x1xi32>) -> tensor<2x4x3x8xi32>
  %5 = "ttir.scatter"(%1, %4, %rows) {dim = 2 : i32} : (tensor<2x4x16x8xf32>, tensor<2x4x3x8xi32>, tensor<2x4x3x8xf32>) -> tensor<2x4x16x8xf32>
  "ttir.assign"(%cache, %5) : (tensor<2x4x16x8xf32>, tensor<2x4x16x8xf32>) -> ()
  return
}
// CHECK-LABEL: func.func @known_rows_from_the_end
// CHECK-NEXT: [[FILLED:%.+]] = "ttir.fill_cache"(%arg0, %arg1)
// CHECK: [[AT:%.+]] = "ttir.constant"() {value = dense<3> : tensor<1xi32>}
// CHECK: "ttir.update_cache"([[FILLED]], %arg1, [[AT]])
// CHECK-NEXT: return
func.func @known_rows_from_the_end(%cache: tensor<2x4x16x8xf32>, %rows: tensor<2x4x3x8xf32>) {
  %0 = "ttir.slice_static"(%cache) {begins = [0 : i32, 0 : i32, 3 : i32, 0 : i32], ends = [2 : i32, 4 : i32, 16 : i32, 8 : i32], step = [1 : i32, 1 : i32, 1 : i32, 1 : i32]} : (tensor<2x4x16x8xf32>) -> tensor<2x4x13x8xf32>
  %1 = "ttir.concat"(%rows, %0) {dim = -2 : si32} : (tensor<2x4x3x8xf32>, tensor<2x4x13x8xf32>) -> tensor<2x4x16x8xf32>
  %2 = "ttir.arange"() {start = 3 : si64, end = 6 : si64, step = 1 : si64, arange_dimension = 0 : i64} : () -> tensor<3xi32>
  %3 = "ttir.reshape"(%2) {shape = [1 : i32, 1 : i32, 3 : i32, 1 : i32]} : (tensor<3xi32>) -> tensor<1x1x3x1xi32>
  %4 = "ttir.broadcast"(%3) {broadcast_dimensions = array<i64: 2, 4, 1, 8>} : (tensor<1x1x3x1xi32>) -> tensor<2x4x3x8xi32>
  %5 = "ttir.scatter"(%1, %4, %rows) {dim = 2 : i32} : (tensor<2x4x16x8xf32>, tensor<2x4x3x8xi32>, tensor<2x4x3x8xf32>) -> tensor<2x4x16x8xf32>
  "ttir.assign"(%cache, %5) : (tensor<2x4x16x8xf32>, tensor<2x4x16x8xf32>) -> ()
  return
}
// What the cache held is read afterwards, by who reads its old value: `insert-copies` keeps that.
// CHECK-LABEL: func.func @old_value_is_read
// CHECK-NEXT: [[NOW:%.+]] = "ttir.update_cache"(%arg0, %arg1, %arg2)
// CHECK-NEXT: [[OLD:%.+]] = "ttir.exp"(%arg0)
// CHECK-NEXT: return [[OLD]]
func.func @old_value_is_read(%cache: tensor<2x4x16x8xf32>, %row: tensor<2x4x1x8xf32>, %at: tensor<1xi64>) -> tensor<2x4x16x8xf32> {
  %0 = "ttir.reshape"(%at) {shape = [1 : i32, 1 : i32, 1 : i32, 1 : i32]} : (tensor<1xi64>) -> tensor<1x1x1x1xi64>
  %1 = "ttir.broadcast"(%0) {broadcast_dimensions = array<i64: 2, 4, 1, 8>} : (tensor<1x1x1x1xi64>) -> tensor<2x4x1x8xi64>
  %2 = "ttir.scatter"(%cache, %1, %row) {dim = 2 : i32} : (tensor<2x4x16x8xf32>, tensor<2x4x1x8xi64>, tensor<2x4x1x8xf32>) -> tensor<2x4x16x8xf32>
  %3 = "ttir.exp"(%cache) : (tensor<2x4x16x8xf32>) -> tensor<2x4x16x8xf32>
  "ttir.assign"(%cache, %2) : (tensor<2x4x16x8xf32>, tensor<2x4x16x8xf32>) -> ()
  return %3 : tensor<2x4x16x8xf32>
}
// Rows that do not follow one another, that are summed, or that stand along another dimension.
// CHECK-LABEL: func.func @other_writes
// CHECK-COUNT-3: "ttir.scatter"
// CHECK: "ttir.assign"
func.func @other_writes(%cache: tensor<1x4x16x8xf32>, %rows: tensor<1x4x2x8xf32>, %at: tensor<1x4x2x8xi64>) {
  %0 = "ttir.scatter"(%cache, %at, %rows) {dim = 2 : i32} : (tensor<1x4x16x8xf32>, tensor<1x4x2x8xi64>, tensor<1x4x2x8xf32>) -> tensor<1x4x16x8xf32>
  %1 = "ttir.scatter"(%0, %at, %rows) {dim = 2 : i32, scatter_reduce_type = #tt.reduce_type<"sum">} : (tensor<1x4x16x8xf32>, tensor<1x4x2x8xi64>, tensor<1x4x2x8xf32>) -> tensor<1x4x16x8xf32>
  %2 = "ttir.scatter"(%1, %at, %rows) {dim = 1 : i32} : (tensor<1x4x16x8xf32>, tensor<1x4x2x8xi64>, tensor<1x4x2x8xf32>) -> tensor<1x4x16x8xf32>
  "ttir.assign"(%cache, %2) : (tensor<1x4x16x8xf32>, tensor<1x4x16x8xf32>) -> ()
  return
}
// Parts of rows.
// CHECK-LABEL: func.func @part_of_a_row
// CHECK: "ttir.scatter"
// CHECK: "ttir.assign"
func.func @part_of_a_row(%cache: tensor<2x4x16x8xf32>, %row: tensor<2x4x1x8xf32>, %at: tensor<1x1x1x1xi64>) {
  %0 = "ttir.scatter"(%cache, %at, %row) {dim = 2 : i32} : (tensor<2x4x16x8xf32>, tensor<1x1x1x1xi64>, tensor<2x4x1x8xf32>) -> tensor<2x4x16x8xf32>
  "ttir.assign"(%cache, %0) : (tensor<2x4x16x8xf32>, tensor<2x4x16x8xf32>) -> ()
  return
}
