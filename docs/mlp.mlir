// One layer of a multilayer perceptron: a matrix product, its bias and its activation.
func.func @forward(
    %x: tensor<64x128xbf16>,
    %w: tensor<128x96xbf16> {ttir.name = "weight", ttcore.argument_type = #ttcore.argument_type<parameter>},
    %b: tensor<96xbf16> {ttir.name = "bias", ttcore.argument_type = #ttcore.argument_type<parameter>}
) -> tensor<64x96xbf16> {
  %0 = "ttir.matmul"(%x, %w) : (tensor<64x128xbf16>, tensor<128x96xbf16>) -> tensor<64x96xbf16>
  %1 = "ttir.add"(%0, %b) : (tensor<64x96xbf16>, tensor<96xbf16>) -> tensor<64x96xbf16>
  %2 = "ttir.relu"(%1) : (tensor<64x96xbf16>) -> tensor<64x96xbf16>
  return %2 : tensor<64x96xbf16>
}
