func.func @forward(%x: tensor<1x2048x16x16xbf16>, %w: tensor<2048x1x3x3xbf16> {tt.argument_type = #tt.argument_type<"parameter">, ttir.name = "w"}) -> (tensor<1x2048x16x16xbf16>) {
  %0 = "ttir.conv2d"(%x, %w) {channel_dim = 1 : i64, dilation = array<i32: 1, 1>, groups = 2048 : i32, height_dim = 2 : i64, padding = array<i32: 1, 1>, stride = array<i32: 1, 1>, width_dim = 3 : i64} : (tensor<1x2048x16x16xbf16>, tensor<2048x1x3x3xbf16>) -> tensor<1x2048x16x16xbf16>
  return %0 : tensor<1x2048x16x16xbf16>
}
