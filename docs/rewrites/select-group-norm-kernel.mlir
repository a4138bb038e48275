func.func @forward(%x: tensor<1x640x32x32xbf16>, %k: tensor<640x640x1x1xbf16> {tt.argument_type = #tt.argument_type<"parameter">, ttir.name = "k"}, %w: tensor<640xbf16> {tt.argument_type = #tt.argument_type<"parameter">, ttir.name = "w"}, %b: tensor<640xbf16> {tt.argument_type = #tt.argument_type<"parameter">, ttir.name = "b"}) -> (tensor<1x640x32x32xbf16>) {
  %0 = "ttir.conv2d"(%x, %k) {channel_dim = 1 : i64, dilation = array<i32: 1, 1>, groups = 1 : i32, height_dim = 2 : i64, padding = array<i32: 0, 0>, stride = array<i32: 1, 1>, width_dim = 3 : i64} : (tensor<1x640x32x32xbf16>, tensor<640x640x1x1xbf16>) -> tensor<1x640x32x32xbf16>
  %1 = "ttir.group_norm"(%0, %w, %b) {channel_dim = 1 : i64, epsilon = 9.99999974E-6 : f32, num_groups = 32 : i64, operandSegmentSizes = array<i32: 1, 0, 1, 1>} : (tensor<1x640x32x32xbf16>, tensor<640xbf16>, tensor<640xbf16>) -> tensor<1x640x32x32xbf16>
  %2 = "ttir.silu"(%1) : (tensor<1x640x32x32xbf16>) -> tensor<1x640x32x32xbf16>
  return %2 : tensor<1x640x32x32xbf16>
}
