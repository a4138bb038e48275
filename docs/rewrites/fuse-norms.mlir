func.func @forward(%x: tensor<128x512xbf16>, %w: tensor<512xbf16> {tt.argument_type = #tt.argument_type<"parameter">, ttir.name = "w"}) -> (tensor<128x512xbf16>) {
  %0 = "ttir.square"(%x) : (tensor<128x512xbf16>) -> tensor<128x512xbf16>
  %1 = "ttir.mean"(%0) {dim_arg = [-1 : i32], keep_dim = true} : (tensor<128x512xbf16>) -> tensor<128x1xbf16>
  %2 = "ttir.full"() {fill_value = 9.99999997E-7 : f32, shape = array<i32: 1, 1>} : () -> tensor<1x1xbf16>
  %3 = "ttir.add"(%1, %2) : (tensor<128x1xbf16>, tensor<1x1xbf16>) -> tensor<128x1xbf16>
  %4 = "ttir.rsqrt"(%3) : (tensor<128x1xbf16>) -> tensor<128x1xbf16>
  %5 = "ttir.multiply"(%x, %4) : (tensor<128x512xbf16>, tensor<128x1xbf16>) -> tensor<128x512xbf16>
  %6 = "ttir.multiply"(%5, %w) : (tensor<128x512xbf16>, tensor<512xbf16>) -> tensor<128x512xbf16>
  return %6 : tensor<128x512xbf16>
}
