func.func @forward(%x: tensor<32xi64>, %w: tensor<1000x64xf32> {tt.argument_type = #tt.argument_type<"parameter">, ttir.name = "w"}) -> (tensor<32x64xf32>) {
  %0 = "ttir.embedding"(%x, %w) : (tensor<32xi64>, tensor<1000x64xf32>) -> tensor<32x64xf32>
  return %0 : tensor<32x64xf32>
}
