func.func @forward(%x: tensor<64x256xbf16>, %w: tensor<128x256xbf16> {tt.argument_type = #tt.argument_type<"parameter">, ttir.name = "w"}, %g: tensor<128x1xbf16> {tt.argument_type = #tt.argument_type<"parameter">, ttir.name = "g"}) -> (tensor<64x128xbf16>) {
  %0 = "ttir.multiply"(%g, %w) : (tensor<128x1xbf16>, tensor<128x256xbf16>) -> tensor<128x256xbf16>
  %1 = "ttir.square"(%w) : (tensor<128x256xbf16>) -> tensor<128x256xbf16>
  %2 = "ttir.sum"(%1) {dim_arg = [1 : i32], keep_dim = true} : (tensor<128x256xbf16>) -> tensor<128x1xbf16>
  %3 = "ttir.sqrt"(%2) : (tensor<128x1xbf16>) -> tensor<128x1xbf16>
  %4 = "ttir.div"(%0, %3) : (tensor<128x256xbf16>, tensor<128x1xbf16>) -> tensor<128x256xbf16>
  %5 = "ttir.matmul"(%x, %4) {transpose_b = true} : (tensor<64x256xbf16>, tensor<128x256xbf16>) -> tensor<64x128xbf16>
  return %5 : tensor<64x128xbf16>
}
