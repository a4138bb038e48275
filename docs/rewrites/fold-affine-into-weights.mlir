func.func @forward(%x: tensor<256x512xbf16>, %w: tensor<512x512xbf16> {tt.argument_type = #tt.argument_type<"parameter">, ttir.name = "w"}, %scale: tensor<512xbf16> {tt.argument_type = #tt.argument_type<"parameter">, ttir.name = "scale"}) -> tensor<256x512xbf16> {
  %0 = "ttir.matmul"(%x, %w) : (tensor<256x512xbf16>, tensor<512x512xbf16>) -> tensor<256x512xbf16>
  %1 = "ttir.multiply"(%0, %scale) : (tensor<256x512xbf16>, tensor<512xbf16>) -> tensor<256x512xbf16>
  return %1 : tensor<256x512xbf16>
}
