// Two products with their activations, and a value that lives from the first op to the last.
func.func @residual(
    %x: tensor<512x768xbf16>,
    %w: tensor<768x1024xbf16> {ttcore.argument_type = #ttcore.argument_type<parameter>},
    %v: tensor<1024x768xbf16> {ttcore.argument_type = #ttcore.argument_type<parameter>}
) -> tensor<512x768xbf16> {
  %0 = "ttir.gelu"(%x) : (tensor<512x768xbf16>) -> tensor<512x768xbf16>
  %1 = "ttir.matmul"(%0, %w) : (tensor<512x768xbf16>, tensor<768x1024xbf16>) -> tensor<512x1024xbf16>
  %2 = "ttir.relu"(%1) : (tensor<512x1024xbf16>) -> tensor<512x1024xbf16>
  %3 = "ttir.matmul"(%2, %v) : (tensor<512x1024xbf16>, tensor<1024x768xbf16>) -> tensor<512x768xbf16>
  %4 = "ttir.add"(%3, %0) : (tensor<512x768xbf16>, tensor<512x768xbf16>) -> tensor<512x768xbf16>
  return %4 : tensor<512x768xbf16>
}
