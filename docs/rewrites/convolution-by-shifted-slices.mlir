func.func @forward(%x: tensor<1x64x4096xbf16>, %w: tensor<4096x1x3xbf16> {tt.argument_type = #tt.argument_type<"parameter">, ttir.name = "w"}) -> (tensor<1x64x4096xbf16>) {
  %0 = "ttir.transpose"(%x) {dim0 = 1 : si32, dim1 = 2 : si32} : (tensor<1x64x4096xbf16>) -> tensor<1x4096x64xbf16>
  %1 = "ttir.conv1d"(%0, %w) {channel_dim = 1 : i64, dilation = array<i32: 2>, groups = 4096 : i32, length_dim = 2 : i64, padding = array<i32: 2>, stride = array<i32: 1>} : (tensor<1x4096x64xbf16>, tensor<4096x1x3xbf16>) -> tensor<1x4096x64xbf16>
  %2 = "ttir.transpose"(%1) {dim0 = 1 : si32, dim1 = 2 : si32} : (tensor<1x4096x64xbf16>) -> tensor<1x64x4096xbf16>
  return %2 : tensor<1x64x4096xbf16>
}
