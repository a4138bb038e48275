// RUN: ttstack opt %s -p "fuse" | filecheck %s
// CHECK-LABEL: func.func @gelu_tanh
// CHECK-NEXT: [[G:%.+]] = "ttir.gelu_tanh"(%arg0)
// CHECK-NEXT: return [[G]]
func.func @gelu_tanh(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %half = "ttir.full"() {fill_value = 0.5 : f32, shape = array<i32: 1, 1>} : () -> tensor<1x1xf32>
  %one = "ttir.full"() {fill_value = 1.0 : f32, shape = array<i32: 1, 1>} : () -> tensor<1x1xf32>
  %three = "ttir.full"() {fill_value = 3.0 : f32, shape = array<i32: 1, 1>} : () -> tensor<1x1xf32>
  %c = "ttir.full"() {fill_value = 0.044715 : f32, shape = array<i32: 1, 1>} : () -> tensor<1x1xf32>
  %s = "ttir.full"() {fill_value = 0.797884583 : f32, shape = array<i32: 1, 1>} : () -> tensor<1x1xf32>
  %0 = "ttir.multiply"(%x, %half) : (tensor<4x8xf32>, tensor<1x1xf32>) -> tensor<4x8xf32>
  %1 = "ttir.pow"(%x, %three) : (tensor<4x8xf32>, tensor<1x1xf32>) -> tensor<4x8xf32>
  %2 = "ttir.multiply"(%1, %c) : (tensor<4x8xf32>, tensor<1x1xf32>) -> tensor<4x8xf32>
  %3 = "ttir.add"(%x, %2) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %4 = "ttir.multiply"(%3, %s) : (tensor<4x8xf32>, tensor<1x1xf32>) -> tensor<4x8xf32>
  %5 = "ttir.tanh"(%4) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %6 = "ttir.add"(%5, %one) : (tensor<4x8xf32>, tensor<1x1xf32>) -> tensor<4x8xf32>
  %7 = "ttir.multiply"(%0, %6) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  return %7 : tensor<4x8xf32>
}
// Another scale inside is another function.
// CHECK-LABEL: func.func @no_gelu
// CHECK-NOT: gelu
func.func @no_gelu(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %half = "ttir.full"() {fill_value = 0.5 : f32, shape = array<i32: 1, 1>} : () -> tensor<1x1xf32>
  %one = "ttir.full"() {fill_value = 1.0 : f32, shape = array<i32: 1, 1>} : () -> tensor<1x1xf32>
  %c = "ttir.full"() {fill_value = 0.044715 : f32, shape = array<i32: 1, 1>} : () -> tensor<1x1xf32>
  %0 = "ttir.multiply"(%x, %x) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %1 = "ttir.multiply"(%0, %x) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %2 = "ttir.multiply"(%1, %c) : (tensor<4x8xf32>, tensor<1x1xf32>) -> tensor<4x8xf32>
  %3 = "ttir.add"(%x, %2) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %4 = "ttir.tanh"(%3) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %5 = "ttir.add"(%4, %one) : (tensor<4x8xf32>, tensor<1x1xf32>) -> tensor<4x8xf32>
  %6 = "ttir.multiply"(%x, %5) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %7 = "ttir.multiply"(%6, %half) : (tensor<4x8xf32>, tensor<1x1xf32>) -> tensor<4x8xf32>
  return %7 : tensor<4x8xf32>
}
// JAX's spelling; bf16 holds the constants less precisely.
// CHECK-LABEL: func.func @gelu_of_jax
// CHECK-NEXT: [[G:%.+]] = "ttir.gelu_tanh"(%arg0)
// CHECK-NEXT: return [[G]]
func.func @gelu_of_jax(%x: tensor<4x8xbf16>) -> tensor<4x8xbf16> {
  %half = "ttir.full"() {fill_value = 0.5 : f32, shape = array<i32: 1, 1>} : () -> tensor<1x1xbf16>
  %one = "ttir.full"() {fill_value = 1.0 : f32, shape = array<i32: 1, 1>} : () -> tensor<1x1xbf16>
  %c = "ttir.constant"() {value = dense<0.0446777344> : tensor<1x1xbf16>} : () -> tensor<1x1xbf16>
  %s = "ttir.constant"() {value = dense<0.796875> : tensor<1x1xbf16>} : () -> tensor<1x1xbf16>
  %0 = "ttir.multiply"(%x, %x) : (tensor<4x8xbf16>, tensor<4x8xbf16>) -> tensor<4x8xbf16>
  %1 = "ttir.multiply"(%x, %0) : (tensor<4x8xbf16>, tensor<4x8xbf16>) -> tensor<4x8xbf16>
  %2 = "ttir.multiply"(%c, %1) : (tensor<1x1xbf16>, tensor<4x8xbf16>) -> tensor<4x8xbf16>
  %3 = "ttir.add"(%x, %2) : (tensor<4x8xbf16>, tensor<4x8xbf16>) -> tensor<4x8xbf16>
  %4 = "ttir.multiply"(%s, %3) : (tensor<1x1xbf16>, tensor<4x8xbf16>) -> tensor<4x8xbf16>
  %5 = "ttir.tanh"(%4) : (tensor<4x8xbf16>) -> tensor<4x8xbf16>
  %6 = "ttir.add"(%one, %5) : (tensor<1x1xbf16>, tensor<4x8xbf16>) -> tensor<4x8xbf16>
  %7 = "ttir.multiply"(%half, %6) : (tensor<1x1xbf16>, tensor<4x8xbf16>) -> tensor<4x8xbf16>
  %8 = "ttir.multiply"(%x, %7) : (tensor<4x8xbf16>, tensor<4x8xbf16>) -> tensor<4x8xbf16>
  return %8 : tensor<4x8xbf16>
}
// By erf, as ONNX has it, and by erfc, as JAX has it.
// CHECK-LABEL: func.func @exact
// CHECK-NEXT: [[A:%.+]] = "ttir.gelu"(%arg0)
// CHECK-NEXT: [[B:%.+]] = "ttir.gelu"(%arg0)
// CHECK-NEXT: return [[A]], [[B]]
func.func @exact(%x: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %root = "ttir.full"() {fill_value = 1.41421354 : f32, shape = array<i32: 1, 1>} : () -> tensor<1x1xf32>
  %over = "ttir.full"() {fill_value = 0.707106769 : f32, shape = array<i32: 1, 1>} : () -> tensor<1x1xf32>
  %one = "ttir.full"() {fill_value = 1.0 : f32, shape = array<i32: 1, 1>} : () -> tensor<1x1xf32>
  %half = "ttir.full"() {fill_value = 0.5 : f32, shape = array<i32: 1, 1>} : () -> tensor<1x1xf32>
  %0 = "ttir.div"(%x, %root) : (tensor<4x8xf32>, tensor<1x1xf32>) -> tensor<4x8xf32>
  %1 = "ttir.erf"(%0) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %2 = "ttir.add"(%1, %one) : (tensor<4x8xf32>, tensor<1x1xf32>) -> tensor<4x8xf32>
  %3 = "ttir.multiply"(%x, %2) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %4 = "ttir.multiply"(%3, %half) : (tensor<4x8xf32>, tensor<1x1xf32>) -> tensor<4x8xf32>
  %5 = "ttir.multiply"(%x, %half) : (tensor<4x8xf32>, tensor<1x1xf32>) -> tensor<4x8xf32>
  %6 = "ttir.neg"(%x) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %7 = "ttir.multiply"(%6, %over) : (tensor<4x8xf32>, tensor<1x1xf32>) -> tensor<4x8xf32>
  %8 = "ttir.erfc"(%7) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %9 = "ttir.multiply"(%5, %8) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  return %4, %9 : tensor<4x8xf32>, tensor<4x8xf32>
}
