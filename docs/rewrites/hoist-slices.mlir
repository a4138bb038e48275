func.func @forward(%x: tensor<1x128x512xbf16>, %w: tensor<512x512xbf16> {tt.argument_type = #tt.argument_type<"parameter">, ttir.name = "w"}) -> (tensor<1x512xbf16>) {
  %0 = "ttir.matmul"(%x, %w) : (tensor<1x128x512xbf16>, tensor<512x512xbf16>) -> tensor<1x128x512xbf16>
  %1 = "ttir.silu"(%0) : (tensor<1x128x512xbf16>) -> tensor<1x128x512xbf16>
  %2 = "ttir.slice_static"(%1) {begins = [0 : i32, 127 : i32, 0 : i32], ends = [1 : i32, 128 : i32, 512 : i32], step = [1 : i32, 1 : i32, 1 : i32]} : (tensor<1x128x512xbf16>) -> tensor<1x1x512xbf16>
  %3 = "ttir.squeeze"(%2) {dim = 1 : si32} : (tensor<1x1x512xbf16>) -> tensor<1x512xbf16>
  return %3 : tensor<1x512xbf16>
}
