func.func @forward(%x: tensor<256x1xi64>, %w: tensor<1000x64xbf16> {tt.argument_type = #tt.argument_type<"parameter">, ttir.name = "w"}) -> (tensor<256x64xbf16>) {
  %0 = "ttir.embedding"(%x, %w) : (tensor<256x1xi64>, tensor<1000x64xbf16>) -> tensor<256x1x64xbf16>
  %1 = "ttir.reshape"(%0) {shape = [256 : i32, 64 : i32]} : (tensor<256x1x64xbf16>) -> tensor<256x64xbf16>
  return %1 : tensor<256x64xbf16>
}
