func.func @forward(%x: tensor<64x256xbf16>, %w: tensor<256x512xbf16> {tt.argument_type = #tt.argument_type<"parameter">, ttir.name = "w"}) -> (tensor<64x512xbf16>) {
  %0 = "ttir.matmul"(%x, %w) : (tensor<64x256xbf16>, tensor<256x512xbf16>) -> tensor<64x512xbf16>
  %1 = "ttir.full"() {fill_value = 1.250000e-01 : f32, shape = array<i32: 1, 1>} : () -> tensor<1x1xbf16>
  %2 = "ttir.multiply"(%0, %1) : (tensor<64x512xbf16>, tensor<1x1xbf16>) -> tensor<64x512xbf16>
  return %2 : tensor<64x512xbf16>
}
