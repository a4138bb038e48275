// One encoder layer of BERT-base: 12 heads of width 64, 3,072 features inside, 128 tokens.
func.func @forward(
    %hidden: tensor<1x128x768xbf16> {ttir.name = "hidden", ttcore.argument_type = #ttcore.argument_type<input>},
    %attention_mask: tensor<1x1x1x128xbf16> {ttir.name = "attention_mask", ttcore.argument_type = #ttcore.argument_type<input>},
    %attention_query_weight: tensor<768x768xbf16> {ttir.name = "attention.query.weight", ttcore.argument_type = #ttcore.argument_type<parameter>},
    %attention_query_bias: tensor<768xbf16> {ttir.name = "attention.query.bias", ttcore.argument_type = #ttcore.argument_type<parameter>},
    %attention_key_weight: tensor<768x768xbf16> {ttir.name = "attention.key.weight", ttcore.argument_type = #ttcore.argument_type<parameter>},
    %attention_key_bias: tensor<768xbf16> {ttir.name = "attention.key.bias", ttcore.argument_type = #ttcore.argument_type<parameter>},
    %attention_value_weight: tensor<768x768xbf16> {ttir.name = "attention.value.weight", ttcore.argument_type = #ttcore.argument_type<parameter>},
    %attention_value_bias: tensor<768xbf16> {ttir.name = "attention.value.bias", ttcore.argument_type = #ttcore.argument_type<parameter>},
    %attention_output_weight: tensor<768x768xbf16> {ttir.name = "attention.output.weight", ttcore.argument_type = #ttcore.argument_type<parameter>},
    %attention_output_bias: tensor<768xbf16> {ttir.name = "attention.output.bias", ttcore.argument_type = #ttcore.argument_type<parameter>},
    %attention_norm_weight: tensor<768xbf16> {ttir.name = "attention.norm.weight", ttcore.argument_type = #ttcore.argument_type<parameter>},
    %attention_norm_bias: tensor<768xbf16> {ttir.name = "attention.norm.bias", ttcore.argument_type = #ttcore.argument_type<parameter>},
    %intermediate_weight: tensor<3072x768xbf16> {ttir.name = "intermediate.weight", ttcore.argument_type = #ttcore.argument_type<parameter>},
    %intermediate_bias: tensor<3072xbf16> {ttir.name = "intermediate.bias", ttcore.argument_type = #ttcore.argument_type<parameter>},
    %output_weight: tensor<768x3072xbf16> {ttir.name = "output.weight", ttcore.argument_type = #ttcore.argument_type<parameter>},
    %output_bias: tensor<768xbf16> {ttir.name = "output.bias", ttcore.argument_type = #ttcore.argument_type<parameter>},
    %output_norm_weight: tensor<768xbf16> {ttir.name = "output.norm.weight", ttcore.argument_type = #ttcore.argument_type<parameter>},
    %output_norm_bias: tensor<768xbf16> {ttir.name = "output.norm.bias", ttcore.argument_type = #ttcore.argument_type<parameter>}
) -> (tensor<1x128x768xbf16> {ttir.name = "hidden_out"}) {
  %0 = "ttir.linear"(%hidden, %attention_query_weight, %attention_query_bias) <{transpose_b = true}> : (tensor<1x128x768xbf16>, tensor<768x768xbf16>, tensor<768xbf16>) -> tensor<1x128x768xbf16>
  %1 = "ttir.reshape"(%0) <{shape = [1 : i32, 128 : i32, 12 : i32, 64 : i32]}> : (tensor<1x128x768xbf16>) -> tensor<1x128x12x64xbf16>
  %2 = "ttir.permute"(%1) <{permutation = array<i64: 0, 2, 1, 3>}> : (tensor<1x128x12x64xbf16>) -> tensor<1x12x128x64xbf16>
  %3 = "ttir.linear"(%hidden, %attention_key_weight, %attention_key_bias) <{transpose_b = true}> : (tensor<1x128x768xbf16>, tensor<768x768xbf16>, tensor<768xbf16>) -> tensor<1x128x768xbf16>
  %4 = "ttir.reshape"(%3) <{shape = [1 : i32, 128 : i32, 12 : i32, 64 : i32]}> : (tensor<1x128x768xbf16>) -> tensor<1x128x12x64xbf16>
  %5 = "ttir.permute"(%4) <{permutation = array<i64: 0, 2, 1, 3>}> : (tensor<1x128x12x64xbf16>) -> tensor<1x12x128x64xbf16>
  %6 = "ttir.linear"(%hidden, %attention_value_weight, %attention_value_bias) <{transpose_b = true}> : (tensor<1x128x768xbf16>, tensor<768x768xbf16>, tensor<768xbf16>) -> tensor<1x128x768xbf16>
  %7 = "ttir.reshape"(%6) <{shape = [1 : i32, 128 : i32, 12 : i32, 64 : i32]}> : (tensor<1x128x768xbf16>) -> tensor<1x128x12x64xbf16>
  %8 = "ttir.permute"(%7) <{permutation = array<i64: 0, 2, 1, 3>}> : (tensor<1x128x12x64xbf16>) -> tensor<1x12x128x64xbf16>
  %9 = "ttir.scaled_dot_product_attention"(%2, %5, %8, %attention_mask) <{is_causal = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0>, scale = 1.250000e-01 : f32}> : (tensor<1x12x128x64xbf16>, tensor<1x12x128x64xbf16>, tensor<1x12x128x64xbf16>, tensor<1x1x1x128xbf16>) -> tensor<1x12x128x64xbf16>
  %10 = "ttir.permute"(%9) <{permutation = array<i64: 0, 2, 1, 3>}> : (tensor<1x12x128x64xbf16>) -> tensor<1x128x12x64xbf16>
  %11 = "ttir.reshape"(%10) <{shape = [1 : i32, 128 : i32, 768 : i32]}> : (tensor<1x128x12x64xbf16>) -> tensor<1x128x768xbf16>
  %12 = "ttir.linear"(%11, %attention_output_weight, %attention_output_bias) <{transpose_b = true}> : (tensor<1x128x768xbf16>, tensor<768x768xbf16>, tensor<768xbf16>) -> tensor<1x128x768xbf16>
  %13 = "ttir.add"(%hidden, %12) : (tensor<1x128x768xbf16>, tensor<1x128x768xbf16>) -> tensor<1x128x768xbf16>
  %14 = "ttir.layer_norm"(%13, %attention_norm_weight, %attention_norm_bias) <{epsilon = 1.000000e-12 : f32, normalized_shape = array<i64: 768>, operandSegmentSizes = array<i32: 1, 1, 1>}> : (tensor<1x128x768xbf16>, tensor<768xbf16>, tensor<768xbf16>) -> tensor<1x128x768xbf16>
  %15 = "ttir.linear"(%14, %intermediate_weight, %intermediate_bias) <{transpose_b = true}> : (tensor<1x128x768xbf16>, tensor<3072x768xbf16>, tensor<3072xbf16>) -> tensor<1x128x3072xbf16>
  %16 = "ttir.gelu"(%15) : (tensor<1x128x3072xbf16>) -> tensor<1x128x3072xbf16>
  %17 = "ttir.linear"(%16, %output_weight, %output_bias) <{transpose_b = true}> : (tensor<1x128x3072xbf16>, tensor<768x3072xbf16>, tensor<768xbf16>) -> tensor<1x128x768xbf16>
  %18 = "ttir.add"(%14, %17) : (tensor<1x128x768xbf16>, tensor<1x128x768xbf16>) -> tensor<1x128x768xbf16>
  %19 = "ttir.layer_norm"(%18, %output_norm_weight, %output_norm_bias) <{epsilon = 1.000000e-12 : f32, normalized_shape = array<i64: 768>, operandSegmentSizes = array<i32: 1, 1, 1>}> : (tensor<1x128x768xbf16>, tensor<768xbf16>, tensor<768xbf16>) -> tensor<1x128x768xbf16>
  return %19 : tensor<1x128x768xbf16>
}
