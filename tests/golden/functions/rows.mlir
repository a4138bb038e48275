// Ops on whole rows between elementwise ones: norms, a softmax, a sum.
func.func @rows(
    %x: tensor<128x2048xbf16>,
    %g: tensor<2048xbf16> {ttcore.argument_type = #ttcore.argument_type<parameter>}
) -> (tensor<128x2048xbf16>, tensor<128x1xbf16>) {
  %0 = "ttir.rms_norm"(%x, %g) <{normalized_shape = array<i64: 2048>, operandSegmentSizes = array<i32: 1, 1, 0>}> : (tensor<128x2048xbf16>, tensor<2048xbf16>) -> tensor<128x2048xbf16>
  %1 = "ttir.softmax"(%0) <{dimension = 1 : si32}> : (tensor<128x2048xbf16>) -> tensor<128x2048xbf16>
  %2 = "ttir.multiply"(%1, %x) : (tensor<128x2048xbf16>, tensor<128x2048xbf16>) -> tensor<128x2048xbf16>
  %3 = "ttir.layer_norm"(%2, %g) <{normalized_shape = array<i64: 2048>, operandSegmentSizes = array<i32: 1, 1, 0>}> : (tensor<128x2048xbf16>, tensor<2048xbf16>) -> tensor<128x2048xbf16>
  %4 = "ttir.exp"(%3) : (tensor<128x2048xbf16>) -> tensor<128x2048xbf16>
  %5 = "ttir.sum"(%4) <{keep_dim = true, dim_arg = [1 : i32]}> : (tensor<128x2048xbf16>) -> tensor<128x1xbf16>
  return %4, %5 : tensor<128x2048xbf16>, tensor<128x1xbf16>
}
