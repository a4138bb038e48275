// RUN: ttstack opt %s -p "fuse" | filecheck %s
// CHECK-LABEL: func.func @rms_norm
// CHECK: [[N:%.+]] = "ttir.rms_norm"(%arg0, %arg1) {epsilon = 9.99999997E-7 : f32, normalized_shape = array<i64: 8>
// CHECK-NEXT: return [[N]]
func.func @rms_norm(%x: tensor<4x8xf32>, %w: tensor<8xf32>) -> tensor<4x8xf32> {
  %e = "ttir.full"() {fill_value = 9.99999997E-7 : f32, shape = array<i32: 1, 1>} : () -> tensor<1x1xf32>
  %0 = "ttir.multiply"(%x, %x) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %1 = "ttir.mean"(%0) {dim_arg = [-1 : i32], keep_dim = true} : (tensor<4x8xf32>) -> tensor<4x1xf32>
  %2 = "ttir.add"(%1, %e) : (tensor<4x1xf32>, tensor<1x1xf32>) -> tensor<4x1xf32>
  %3 = "ttir.rsqrt"(%2) : (tensor<4x1xf32>) -> tensor<4x1xf32>
  %4 = "ttir.multiply"(%x, %3) : (tensor<4x8xf32>, tensor<4x1xf32>) -> tensor<4x8xf32>
  %5 = "ttir.multiply"(%w, %4) : (tensor<8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  return %5 : tensor<4x8xf32>
}
// What is widened for the norm alone need not be.
// CHECK-LABEL: func.func @widened
// CHECK-NEXT: [[N:%.+]] = "ttir.rms_norm"(%arg0, %arg1) {{.*}} : (tensor<4x8xbf16>, tensor<8xbf16>) -> tensor<4x8xbf16>
// CHECK-NEXT: return [[N]]
func.func @widened(%x: tensor<4x8xbf16>, %w: tensor<8xbf16>) -> tensor<4x8xbf16> {
  %e = "ttir.full"() {fill_value = 1.0e-05 : f32, shape = array<i32: 1, 1>} : () -> tensor<1x1xf32>
  %f = "ttir.typecast"(%x) : (tensor<4x8xbf16>) -> tensor<4x8xf32>
  %0 = "ttir.square"(%f) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %1 = "ttir.mean"(%0) {dim_arg = [1 : i32], keep_dim = true} : (tensor<4x8xf32>) -> tensor<4x1xf32>
  %2 = "ttir.add"(%e, %1) : (tensor<1x1xf32>, tensor<4x1xf32>) -> tensor<4x1xf32>
  %3 = "ttir.rsqrt"(%2) : (tensor<4x1xf32>) -> tensor<4x1xf32>
  %4 = "ttir.multiply"(%3, %f) : (tensor<4x1xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %5 = "ttir.typecast"(%4) : (tensor<4x8xf32>) -> tensor<4x8xbf16>
  %6 = "ttir.multiply"(%5, %w) : (tensor<4x8xbf16>, tensor<8xbf16>) -> tensor<4x8xbf16>
  return %6 : tensor<4x8xbf16>
}
// Statistics of another tensor, of another dimension, or without an epsilon that is known, make no norm of it.
// CHECK-LABEL: func.func @no_norm
// CHECK-NOT: rms_norm
// CHECK: return
func.func @no_norm(%x: tensor<8x8xf32>, %y: tensor<8x8xf32>, %e: tensor<8x1xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>) {
  %c = "ttir.full"() {fill_value = 1.0e-05 : f32, shape = array<i32: 1, 1>} : () -> tensor<1x1xf32>
  %0 = "ttir.square"(%x) : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = "ttir.mean"(%0) {dim_arg = [1 : i32], keep_dim = true} : (tensor<8x8xf32>) -> tensor<8x1xf32>
  %2 = "ttir.add"(%1, %c) : (tensor<8x1xf32>, tensor<1x1xf32>) -> tensor<8x1xf32>
  %3 = "ttir.rsqrt"(%2) : (tensor<8x1xf32>) -> tensor<8x1xf32>
  %4 = "ttir.multiply"(%y, %3) : (tensor<8x8xf32>, tensor<8x1xf32>) -> tensor<8x8xf32>
  %5 = "ttir.mean"(%0) {dim_arg = [0 : i32], keep_dim = true} : (tensor<8x8xf32>) -> tensor<1x8xf32>
  %6 = "ttir.add"(%5, %c) : (tensor<1x8xf32>, tensor<1x1xf32>) -> tensor<1x8xf32>
  %7 = "ttir.rsqrt"(%6) : (tensor<1x8xf32>) -> tensor<1x8xf32>
  %8 = "ttir.multiply"(%x, %7) : (tensor<8x8xf32>, tensor<1x8xf32>) -> tensor<8x8xf32>
  %9 = "ttir.add"(%1, %e) : (tensor<8x1xf32>, tensor<8x1xf32>) -> tensor<8x1xf32>
  %10 = "ttir.rsqrt"(%9) : (tensor<8x1xf32>) -> tensor<8x1xf32>
  %11 = "ttir.multiply"(%x, %10) : (tensor<8x8xf32>, tensor<8x1xf32>) -> tensor<8x8xf32>
  return %4, %8, %11 : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>
}
// As Flax has it: the variance from the mean of squares, and the root scaled before it is applied.
// CHECK-LABEL: func.func @by_squares
// CHECK-NEXT: [[N:%.+]] = "ttir.layer_norm"(%arg0, %arg1, %arg2) {epsilon = 9.99999997E-7 : f32
// CHECK-NEXT: return [[N]]
func.func @by_squares(%x: tensor<4x8xf32>, %w: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<4x8xf32> {
  %e = "ttir.full"() {fill_value = 9.99999997E-7 : f32, shape = array<i32: 1, 1>} : () -> tensor<1x1xf32>
  %zero = "ttir.full"() {fill_value = 0.0 : f32, shape = array<i32: 1, 1>} : () -> tensor<1x1xf32>
  %mean = "ttir.mean"(%x) {dim_arg = [1 : i32], keep_dim = true} : (tensor<4x8xf32>) -> tensor<4x1xf32>
  %0 = "ttir.multiply"(%x, %x) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %1 = "ttir.mean"(%0) {dim_arg = [1 : i32], keep_dim = true} : (tensor<4x8xf32>) -> tensor<4x1xf32>
  %2 = "ttir.square"(%mean) : (tensor<4x1xf32>) -> tensor<4x1xf32>
  %3 = "ttir.subtract"(%1, %2) : (tensor<4x1xf32>, tensor<4x1xf32>) -> tensor<4x1xf32>
  %4 = "ttir.maximum"(%zero, %3) : (tensor<1x1xf32>, tensor<4x1xf32>) -> tensor<4x1xf32>
  %5 = "ttir.subtract"(%x, %mean) : (tensor<4x8xf32>, tensor<4x1xf32>) -> tensor<4x8xf32>
  %6 = "ttir.add"(%4, %e) : (tensor<4x1xf32>, tensor<1x1xf32>) -> tensor<4x1xf32>
  %7 = "ttir.rsqrt"(%6) : (tensor<4x1xf32>) -> tensor<4x1xf32>
  %8 = "ttir.multiply"(%7, %w) : (tensor<4x1xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  %9 = "ttir.multiply"(%5, %8) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %10 = "ttir.add"(%9, %b) : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  return %10 : tensor<4x8xf32>
}
// As ONNX has it: over the root, or times one over it.
// CHECK-LABEL: func.func @over_the_root
// CHECK-NEXT: [[N:%.+]] = "ttir.layer_norm"(%arg0, %arg1)
// CHECK-NEXT: [[R:%.+]] = "ttir.rms_norm"(%arg0)
// CHECK-NEXT: return [[N]], [[R]]
func.func @over_the_root(%x: tensor<4x8xf32>, %w: tensor<8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %e = "ttir.full"() {fill_value = 1.0e-05 : f32, shape = array<i32: 1, 1>} : () -> tensor<1x1xf32>
  %one = "ttir.full"() {fill_value = 1.0 : f32, shape = array<i32: 1, 1>} : () -> tensor<1x1xf32>
  %two = "ttir.full"() {fill_value = 2.0 : f32, shape = array<i32: 1, 1>} : () -> tensor<1x1xf32>
  %mean = "ttir.mean"(%x) {dim_arg = [1 : i32], keep_dim = true} : (tensor<4x8xf32>) -> tensor<4x1xf32>
  %0 = "ttir.subtract"(%x, %mean) : (tensor<4x8xf32>, tensor<4x1xf32>) -> tensor<4x8xf32>
  %1 = "ttir.pow"(%0, %two) : (tensor<4x8xf32>, tensor<1x1xf32>) -> tensor<4x8xf32>
  %2 = "ttir.mean"(%1) {dim_arg = [1 : i32], keep_dim = true} : (tensor<4x8xf32>) -> tensor<4x1xf32>
  %3 = "ttir.add"(%2, %e) : (tensor<4x1xf32>, tensor<1x1xf32>) -> tensor<4x1xf32>
  %4 = "ttir.sqrt"(%3) : (tensor<4x1xf32>) -> tensor<4x1xf32>
  %5 = "ttir.div"(%0, %4) : (tensor<4x8xf32>, tensor<4x1xf32>) -> tensor<4x8xf32>
  %6 = "ttir.multiply"(%5, %w) : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  %7 = "ttir.pow"(%x, %two) : (tensor<4x8xf32>, tensor<1x1xf32>) -> tensor<4x8xf32>
  %8 = "ttir.mean"(%7) {dim_arg = [1 : i32], keep_dim = true} : (tensor<4x8xf32>) -> tensor<4x1xf32>
  %9 = "ttir.add"(%8, %e) : (tensor<4x1xf32>, tensor<1x1xf32>) -> tensor<4x1xf32>
  %10 = "ttir.sqrt"(%9) : (tensor<4x1xf32>) -> tensor<4x1xf32>
  %11 = "ttir.div"(%one, %10) : (tensor<1x1xf32>, tensor<4x1xf32>) -> tensor<4x1xf32>
  %12 = "ttir.multiply"(%x, %11) : (tensor<4x8xf32>, tensor<4x1xf32>) -> tensor<4x8xf32>
  return %6, %12 : tensor<4x8xf32>, tensor<4x8xf32>
}
// As Gemma has it: widened, weighed, narrowed. The weight keeps its type.
// CHECK-LABEL: func.func @in_wide
// CHECK-NEXT: [[R:%.+]] = "ttir.rms_norm"(%arg0, %arg1) {{.*}} : (tensor<4x8xbf16>, tensor<8xf32>) -> tensor<4x8xbf16>
// CHECK-NEXT: [[L:%.+]] = "ttir.layer_norm"(%arg0, %arg1, %arg1) {{.*}} : (tensor<4x8xbf16>, tensor<8xf32>, tensor<8xf32>) -> tensor<4x8xbf16>
// CHECK-NEXT: return [[R]], [[L]]
func.func @in_wide(%x: tensor<4x8xbf16>, %w: tensor<8xf32>) -> (tensor<4x8xbf16>, tensor<4x8xbf16>) {
  %0 = "ttir.typecast"(%x) : (tensor<4x8xbf16>) -> tensor<4x8xf32>
  %1 = "ttir.rms_norm"(%0) {normalized_shape = array<i64: 8>} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %2 = "ttir.multiply"(%1, %w) : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  %3 = "ttir.typecast"(%2) : (tensor<4x8xf32>) -> tensor<4x8xbf16>
  %4 = "ttir.layer_norm"(%0, %w, %w) {normalized_shape = array<i64: 8>} : (tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  %5 = "ttir.typecast"(%4) : (tensor<4x8xf32>) -> tensor<4x8xbf16>
  return %3, %5 : tensor<4x8xbf16>, tensor<4x8xbf16>
}
