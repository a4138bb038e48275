func.func @forward(%x: tensor<32x1x512xbf16>, %w: tensor<512x512xbf16> {tt.argument_type = #tt.argument_type<"parameter">, ttir.name = "w"}, %g: tensor<512xbf16> {tt.argument_type = #tt.argument_type<"parameter">, ttir.name = "g"}) -> (tensor<32x1x512xbf16>) {
  %0 = "ttir.rms_norm"(%x, %g) {epsilon = 7.812500e-03 : f32, normalized_shape = array<i64: 512>, operandSegmentSizes = array<i32: 1, 1, 0, 0>} : (tensor<32x1x512xbf16>, tensor<512xbf16>) -> tensor<32x1x512xbf16>
  %1 = "ttir.matmul"(%0, %w) : (tensor<32x1x512xbf16>, tensor<512x512xbf16>) -> tensor<32x1x512xbf16>
  %2 = "ttir.silu"(%1) : (tensor<32x1x512xbf16>) -> tensor<32x1x512xbf16>
  return %2 : tensor<32x1x512xbf16>
}
