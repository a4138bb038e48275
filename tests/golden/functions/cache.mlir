// One token of a decoder: a cache is written to and attended to.
func.func @cache(
    %k: tensor<1x8x512x64xbf16>, %v: tensor<1x8x512x64xbf16>, %q: tensor<1x1x8x64xbf16>,
    %row: tensor<1x8x1x64xbf16>, %at: tensor<1xi32>
) -> tensor<1x1x8x64xbf16> {
  %0 = "ttir.update_cache"(%k, %row, %at) <{batch_offset = 0 : i32}> : (tensor<1x8x512x64xbf16>, tensor<1x8x1x64xbf16>, tensor<1xi32>) -> tensor<1x8x512x64xbf16>
  %1 = "ttir.scaled_dot_product_attention_decode"(%q, %0, %v, %at) <{is_causal = true, operandSegmentSizes = array<i32: 1, 1, 1, 0, 1, 0>}> : (tensor<1x1x8x64xbf16>, tensor<1x8x512x64xbf16>, tensor<1x8x512x64xbf16>, tensor<1xi32>) -> tensor<1x1x8x64xbf16>
  %2 = "ttir.relu"(%1) : (tensor<1x1x8x64xbf16>) -> tensor<1x1x8x64xbf16>
  return %2 : tensor<1x1x8x64xbf16>
}
