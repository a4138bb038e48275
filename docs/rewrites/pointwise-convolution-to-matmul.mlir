func.func @forward(%x: tensor<1x64x56x56xbf16>, %w: tensor<256x64x1x1xbf16> {tt.argument_type = #tt.argument_type<"parameter">, ttir.name = "w"}) -> (tensor<1x256x56x56xbf16>) {
  %0 = "ttir.conv2d"(%x, %w) {channel_dim = 1 : i64, dilation = array<i32: 1, 1>, groups = 1 : i32, height_dim = 2 : i64, padding = array<i32: 0, 0>, stride = array<i32: 1, 1>, width_dim = 3 : i64} : (tensor<1x64x56x56xbf16>, tensor<256x64x1x1xbf16>) -> tensor<1x256x56x56xbf16>
  return %0 : tensor<1x256x56x56xbf16>
}
