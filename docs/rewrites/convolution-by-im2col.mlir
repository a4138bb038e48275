func.func @forward(%x: tensor<1x3x64x64xbf16>, %w: tensor<96x3x8x8xbf16> {tt.argument_type = #tt.argument_type<"parameter">, ttir.name = "w"}, %b: tensor<96xbf16> {tt.argument_type = #tt.argument_type<"parameter">, ttir.name = "b"}) -> (tensor<1x64x96xbf16>) {
  %0 = "ttir.reshape"(%b) {shape = [1 : i32, 1 : i32, 1 : i32, 96 : i32]} : (tensor<96xbf16>) -> tensor<1x1x1x96xbf16>
  %1 = "ttir.conv2d"(%x, %w, %0) {channel_dim = 1 : i64, dilation = array<i32: 1, 1>, groups = 1 : i32, height_dim = 2 : i64, padding = array<i32: 0, 0>, stride = array<i32: 8, 8>, width_dim = 3 : i64} : (tensor<1x3x64x64xbf16>, tensor<96x3x8x8xbf16>, tensor<1x1x1x96xbf16>) -> tensor<1x96x8x8xbf16>
  %2 = "ttir.reshape"(%1) {shape = [1 : i32, 96 : i32, 64 : i32]} : (tensor<1x96x8x8xbf16>) -> tensor<1x96x64xbf16>
  %3 = "ttir.transpose"(%2) {dim0 = 1 : si32, dim1 = 2 : si32} : (tensor<1x96x64xbf16>) -> tensor<1x64x96xbf16>
  return %3 : tensor<1x64x96xbf16>
}
