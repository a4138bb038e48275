func.func @forward(%x: tensor<1x32xi64>, %w: tensor<8000x256xbf16> {tt.argument_type = #tt.argument_type<"parameter">, ttir.name = "w"}) -> (tensor<1x32x8000xbf16>) {
  %0 = "ttir.embedding"(%x, %w) : (tensor<1x32xi64>, tensor<8000x256xbf16>) -> tensor<1x32x256xbf16>
  %1 = "ttir.exp"(%0) : (tensor<1x32x256xbf16>) -> tensor<1x32x256xbf16>
  %2 = "ttir.matmul"(%1, %w) {transpose_b = true} : (tensor<1x32x256xbf16>, tensor<8000x256xbf16>) -> tensor<1x32x8000xbf16>
  return %2 : tensor<1x32x8000xbf16>
}
