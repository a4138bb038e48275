func.func @forward(%x: tensor<64x256xbf16>, %w: tensor<512x256xbf16> {tt.argument_type = #tt.argument_type<"parameter">, ttir.name = "w"}, %b: tensor<512xbf16> {tt.argument_type = #tt.argument_type<"parameter">, ttir.name = "b"}) -> (tensor<64x512xbf16>) {
  %0 = "ttir.linear"(%x, %w, %b) {transpose_b = true} : (tensor<64x256xbf16>, tensor<512x256xbf16>, tensor<512xbf16>) -> tensor<64x512xbf16>
  %1 = "ttir.relu"(%0) : (tensor<64x512xbf16>) -> tensor<64x512xbf16>
  return %1 : tensor<64x512xbf16>
}
