// RUN: ttstack opt %s -p "fold-identities" | filecheck %s
// What gives its operand back; the sign of a zero may tell `x + 0.0`, and nothing else.
// CHECK-LABEL: func.func @numbers
// CHECK-NOT: "ttir.{{add|subtract|multiply|div|pow|neg}}"
// CHECK: return %arg0, %arg0, %arg0, %arg0, %arg0, %arg0, %arg1, %arg1
func.func @numbers(%x: tensor<4x8xf32>, %n: tensor<8xi32>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<8xi32>, tensor<8xi32>) {
  %one = "ttir.full"() {shape = array<i32: 1, 8>, fill_value = 1.0 : f32} : () -> tensor<1x8xf32>
  %zero = "ttir.constant"() {value = dense<0.0> : tensor<8xf32>} : () -> tensor<8xf32>
  %none = "ttir.constant"() {value = dense<0> : tensor<1xi32>} : () -> tensor<1xi32>
  %0 = "ttir.multiply"(%one, %x) : (tensor<1x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %1 = "ttir.div"(%x, %one) : (tensor<4x8xf32>, tensor<1x8xf32>) -> tensor<4x8xf32>
  %2 = "ttir.add"(%zero, %x) : (tensor<8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %3 = "ttir.subtract"(%x, %zero) : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  %4 = "ttir.pow"(%x, %one) : (tensor<4x8xf32>, tensor<1x8xf32>) -> tensor<4x8xf32>
  %5 = "ttir.neg"(%x) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %6 = "ttir.neg"(%5) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %7 = "ttir.add"(%n, %none) : (tensor<8xi32>, tensor<1xi32>) -> tensor<8xi32>
  %8 = "ttir.neg"(%n) : (tensor<8xi32>) -> tensor<8xi32>
  %9 = "ttir.neg"(%8) : (tensor<8xi32>) -> tensor<8xi32>
  return %0, %1, %2, %3, %4, %6, %7, %9 : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<8xi32>, tensor<8xi32>
}
// The other way round, in another shape, or by another number.
// CHECK-LABEL: func.func @other_numbers
// CHECK: "ttir.div"
// CHECK: "ttir.subtract"
// CHECK: "ttir.pow"
// CHECK: "ttir.multiply"
// CHECK: "ttir.add"
func.func @other_numbers(%x: tensor<4x8xf32>, %r: tensor<8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) {
  %one = "ttir.full"() {shape = array<i32: 4, 8>, fill_value = 1.0 : f32} : () -> tensor<4x8xf32>
  %zero = "ttir.full"() {shape = array<i32: 1, 8>, fill_value = 0.0 : f32} : () -> tensor<1x8xf32>
  %0 = "ttir.div"(%one, %x) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %1 = "ttir.subtract"(%zero, %x) : (tensor<1x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %2 = "ttir.pow"(%one, %x) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %3 = "ttir.multiply"(%r, %one) : (tensor<8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %4 = "ttir.add"(%x, %one) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0, %1, %2, %3, %4 : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>
}
// Casts through a type that holds all numbers of the first.
// CHECK-LABEL: func.func @casts
// CHECK-NEXT: [[WIDE:%.+]] = "ttir.typecast"(%arg0) : (tensor<8xbf16>) -> tensor<8xf64>
// CHECK-NEXT: [[BITS:%.+]] = "ttir.typecast"(%arg1) : (tensor<8xui8>) -> tensor<8xi32>
// CHECK-NEXT: return %arg0, [[WIDE]], [[BITS]], %arg1
func.func @casts(%x: tensor<8xbf16>, %n: tensor<8xui8>) -> (tensor<8xbf16>, tensor<8xf64>, tensor<8xi32>, tensor<8xui8>) {
  %0 = "ttir.typecast"(%x) : (tensor<8xbf16>) -> tensor<8xf32>
  %1 = "ttir.typecast"(%0) : (tensor<8xf32>) -> tensor<8xbf16>
  %2 = "ttir.typecast"(%0) : (tensor<8xf32>) -> tensor<8xf64>
  %3 = "ttir.typecast"(%n) : (tensor<8xui8>) -> tensor<8xbf16>
  %4 = "ttir.typecast"(%3) : (tensor<8xbf16>) -> tensor<8xi32>
  %5 = "ttir.typecast"(%n) : (tensor<8xui8>) -> tensor<8xui8>
  return %1, %2, %4, %5 : tensor<8xbf16>, tensor<8xf64>, tensor<8xi32>, tensor<8xui8>
}
// Casts that round, or cut, on their way.
// CHECK-LABEL: func.func @casts_that_change_numbers
// CHECK-COUNT-6: "ttir.typecast"
func.func @casts_that_change_numbers(%x: tensor<8xf32>, %n: tensor<8xi32>) -> (tensor<8xf32>, tensor<8xi32>, tensor<8xf32>) {
  %0 = "ttir.typecast"(%x) : (tensor<8xf32>) -> tensor<8xbf16>
  %1 = "ttir.typecast"(%0) : (tensor<8xbf16>) -> tensor<8xf32>
  %2 = "ttir.typecast"(%n) : (tensor<8xi32>) -> tensor<8xf32>
  %3 = "ttir.typecast"(%2) : (tensor<8xf32>) -> tensor<8xi32>
  %4 = "ttir.typecast"(%x) : (tensor<8xf32>) -> tensor<8xi32>
  %5 = "ttir.typecast"(%4) : (tensor<8xi32>) -> tensor<8xf32>
  return %1, %3, %5 : tensor<8xf32>, tensor<8xi32>, tensor<8xf32>
}
// CHECK-LABEL: func.func @parts
// CHECK-NEXT: [[PART:%.+]] = "ttir.slice_static"(%arg1) {begins = [0 : i32, 1 : i32], ends = [4 : i32, 6 : i32], step = [1 : i32, 2 : i32]}
// CHECK-NEXT: return %arg0, [[PART]], %arg0, %arg1, %arg0
func.func @parts(%a: tensor<4x8xf32>, %b: tensor<4x6xf32>) -> (tensor<4x8xf32>, tensor<4x3xf32>, tensor<4x8xf32>, tensor<4x6xf32>, tensor<4x8xf32>) {
  %0 = "ttir.concat"(%a, %b) {dim = -1 : si32} : (tensor<4x8xf32>, tensor<4x6xf32>) -> tensor<4x14xf32>
  %1 = "ttir.slice_static"(%0) {begins = [0 : i32, 0 : i32], ends = [4 : i32, 8 : i32], step = [1 : i32, 1 : i32]} : (tensor<4x14xf32>) -> tensor<4x8xf32>
  %2 = "ttir.slice_static"(%0) {begins = [0 : i32, -5 : i32], ends = [4 : i32, 14 : i32], step = [1 : i32, 2 : i32]} : (tensor<4x14xf32>) -> tensor<4x3xf32>
  %3 = "ttir.concat"(%a) {dim = 0 : si32} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %4 = "ttir.pad"(%b) {padding = array<i32: 0, 0, 0, 0>, value = 1.0 : f32} : (tensor<4x6xf32>) -> tensor<4x6xf32>
  %5 = "ttir.broadcast"(%a) {broadcast_dimensions = array<i64: 1, 1>} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %1, %2, %3, %4, %5 : tensor<4x8xf32>, tensor<4x3xf32>, tensor<4x8xf32>, tensor<4x6xf32>, tensor<4x8xf32>
}
// Images as large as they were, as decoders of segmentation have them at their first level.
// CHECK-LABEL: func.func @as_large
// CHECK-NEXT: return %arg0
func.func @as_large(%a: tensor<1x8x8x32xf32>) -> tensor<1x8x8x32xf32> {
  %0 = "ttir.upsample2d"(%a) {scale_factor = array<i32: 1, 1>, mode = "bilinear"} : (tensor<1x8x8x32xf32>) -> tensor<1x8x8x32xf32>
  return %0 : tensor<1x8x8x32xf32>
}
// A part of two parts, and one that goes down.
// CHECK-LABEL: func.func @other_parts
// CHECK: "ttir.concat"
// CHECK-COUNT-2: "ttir.slice_static"
func.func @other_parts(%a: tensor<4x8xf32>, %b: tensor<4x6xf32>) -> (tensor<4x4xf32>, tensor<4x5xf32>) {
  %0 = "ttir.concat"(%a, %b) {dim = 1 : si32} : (tensor<4x8xf32>, tensor<4x6xf32>) -> tensor<4x14xf32>
  %1 = "ttir.slice_static"(%0) {begins = [0 : i32, 6 : i32], ends = [4 : i32, 10 : i32], step = [1 : i32, 1 : i32]} : (tensor<4x14xf32>) -> tensor<4x4xf32>
  %2 = "ttir.slice_static"(%0) {begins = [0 : i32, 13 : i32], ends = [4 : i32, 8 : i32], step = [1 : i32, -1 : i32]} : (tensor<4x14xf32>) -> tensor<4x5xf32>
  return %1, %2 : tensor<4x4xf32>, tensor<4x5xf32>
}
// What is written to afterwards stays a value of its own.
// CHECK-LABEL: func.func @written
// CHECK: "ttir.multiply"
func.func @written(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  %one = "ttir.full"() {shape = array<i32: 8>, fill_value = 1.0 : f32} : () -> tensor<8xf32>
  %0 = "ttir.multiply"(%x, %one) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %1 = "ttir.assign"(%0, %y) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}
