// A gated perceptron on 32 rows: weights are read over the banks of DRAM.
func.func @few_rows(
    %x: tensor<32x2048xbf16>,
    %gate: tensor<2048x5632xbf16> {ttcore.argument_type = #ttcore.argument_type<parameter>},
    %up: tensor<2048x5632xbf16> {ttcore.argument_type = #ttcore.argument_type<parameter>},
    %down: tensor<5632x2048xbf16> {ttcore.argument_type = #ttcore.argument_type<parameter>}
) -> tensor<32x2048xbf16> {
  %0 = "ttir.matmul"(%x, %gate) : (tensor<32x2048xbf16>, tensor<2048x5632xbf16>) -> tensor<32x5632xbf16>
  %1 = "ttir.silu"(%0) : (tensor<32x5632xbf16>) -> tensor<32x5632xbf16>
  %2 = "ttir.matmul"(%x, %up) : (tensor<32x2048xbf16>, tensor<2048x5632xbf16>) -> tensor<32x5632xbf16>
  %3 = "ttir.multiply"(%1, %2) : (tensor<32x5632xbf16>, tensor<32x5632xbf16>) -> tensor<32x5632xbf16>
  %4 = "ttir.matmul"(%3, %down) : (tensor<32x5632xbf16>, tensor<5632x2048xbf16>) -> tensor<32x2048xbf16>
  %5 = "ttir.add"(%4, %x) : (tensor<32x2048xbf16>, tensor<32x2048xbf16>) -> tensor<32x2048xbf16>
  return %5 : tensor<32x2048xbf16>
}
