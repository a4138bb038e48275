func.func @forward(%x: tensor<1x32x2048xbf16>, %w: tensor<2048x64xbf16> {tt.argument_type = #tt.argument_type<"parameter">, ttir.name = "w"}, %v: tensor<2048x64xbf16> {tt.argument_type = #tt.argument_type<"parameter">, ttir.name = "v"}) -> (tensor<1x32x64xbf16> {ttir.name = "output.0"}, tensor<1x32x64xbf16> {ttir.name = "output.1"}) {
  %0 = "ttir.matmul"(%x, %w) : (tensor<1x32x2048xbf16>, tensor<2048x64xbf16>) -> tensor<1x32x64xbf16>
  %1 = "ttir.matmul"(%x, %v) : (tensor<1x32x2048xbf16>, tensor<2048x64xbf16>) -> tensor<1x32x64xbf16>
  return %0, %1 : tensor<1x32x64xbf16>, tensor<1x32x64xbf16>
}
