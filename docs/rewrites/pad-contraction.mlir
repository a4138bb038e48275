func.func @forward(%x: tensor<1x64x729xbf16>, %w: tensor<729x1024xbf16> {tt.argument_type = #tt.argument_type<"parameter">, ttir.name = "w"}) -> (tensor<1x64x1024xbf16>) {
  %0 = "ttir.matmul"(%x, %w) : (tensor<1x64x729xbf16>, tensor<729x1024xbf16>) -> tensor<1x64x1024xbf16>
  return %0 : tensor<1x64x1024xbf16>
}
