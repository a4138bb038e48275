// A block of ResNet-50's first stage, its norms folded into the convolutions: 256 channels, 64 inside, one image.
func.func @forward(
    %x: tensor<1x56x56x256xbf16> {ttir.name = "x", ttcore.argument_type = #ttcore.argument_type<input>},
    %conv1_weight: tensor<64x256x1x1xbf16> {ttir.name = "conv1.weight", ttcore.argument_type = #ttcore.argument_type<parameter>},
    %conv1_bias: tensor<1x1x1x64xbf16> {ttir.name = "conv1.bias", ttcore.argument_type = #ttcore.argument_type<parameter>},
    %conv2_weight: tensor<64x64x3x3xbf16> {ttir.name = "conv2.weight", ttcore.argument_type = #ttcore.argument_type<parameter>},
    %conv2_bias: tensor<1x1x1x64xbf16> {ttir.name = "conv2.bias", ttcore.argument_type = #ttcore.argument_type<parameter>},
    %conv3_weight: tensor<256x64x1x1xbf16> {ttir.name = "conv3.weight", ttcore.argument_type = #ttcore.argument_type<parameter>},
    %conv3_bias: tensor<1x1x1x256xbf16> {ttir.name = "conv3.bias", ttcore.argument_type = #ttcore.argument_type<parameter>}
) -> (tensor<1x56x56x256xbf16> {ttir.name = "out"}) {
  %conv1 = "ttir.conv2d"(%x, %conv1_weight, %conv1_bias) {stride = 1 : i32, padding = 0 : i32, dilation = 1 : i32, groups = 1 : i32}
      : (tensor<1x56x56x256xbf16>, tensor<64x256x1x1xbf16>, tensor<1x1x1x64xbf16>) -> tensor<1x56x56x64xbf16>
  %conv1_relu = "ttir.relu"(%conv1) : (tensor<1x56x56x64xbf16>) -> tensor<1x56x56x64xbf16>
  %conv2 = "ttir.conv2d"(%conv1_relu, %conv2_weight, %conv2_bias) {stride = 1 : i32, padding = 1 : i32, dilation = 1 : i32, groups = 1 : i32}
      : (tensor<1x56x56x64xbf16>, tensor<64x64x3x3xbf16>, tensor<1x1x1x64xbf16>) -> tensor<1x56x56x64xbf16>
  %conv2_relu = "ttir.relu"(%conv2) : (tensor<1x56x56x64xbf16>) -> tensor<1x56x56x64xbf16>
  %conv3 = "ttir.conv2d"(%conv2_relu, %conv3_weight, %conv3_bias) {stride = 1 : i32, padding = 0 : i32, dilation = 1 : i32, groups = 1 : i32}
      : (tensor<1x56x56x64xbf16>, tensor<256x64x1x1xbf16>, tensor<1x1x1x256xbf16>) -> tensor<1x56x56x256xbf16>
  %sum = "ttir.add"(%conv3, %x) : (tensor<1x56x56x256xbf16>, tensor<1x56x56x256xbf16>) -> tensor<1x56x56x256xbf16>
  %out = "ttir.relu"(%sum) : (tensor<1x56x56x256xbf16>) -> tensor<1x56x56x256xbf16>
  return %out : tensor<1x56x56x256xbf16>
}
