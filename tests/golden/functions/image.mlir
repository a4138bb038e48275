// Convolutions and a pool on an image with channels last, and a shortcut past the second.
func.func @image(
    %x: tensor<1x32x32x64xbf16>,
    %w: tensor<64x64x3x3xbf16> {ttcore.argument_type = #ttcore.argument_type<parameter>},
    %v: tensor<64x64x3x3xbf16> {ttcore.argument_type = #ttcore.argument_type<parameter>}
) -> tensor<1x16x16x64xbf16> {
  %0 = "ttir.conv2d"(%x, %w) <{stride = 1 : i32, padding = 1 : i32, dilation = 1 : i32, groups = 1 : i32}> : (tensor<1x32x32x64xbf16>, tensor<64x64x3x3xbf16>) -> tensor<1x32x32x64xbf16>
  %1 = "ttir.relu"(%0) : (tensor<1x32x32x64xbf16>) -> tensor<1x32x32x64xbf16>
  %2 = "ttir.conv2d"(%1, %v) <{stride = 1 : i32, padding = 1 : i32, dilation = 1 : i32, groups = 1 : i32}> : (tensor<1x32x32x64xbf16>, tensor<64x64x3x3xbf16>) -> tensor<1x32x32x64xbf16>
  %3 = "ttir.add"(%2, %1) : (tensor<1x32x32x64xbf16>, tensor<1x32x32x64xbf16>) -> tensor<1x32x32x64xbf16>
  %4 = "ttir.max_pool2d"(%3) <{kernel = 2 : i32, stride = 2 : i32, padding = 0 : i32, dilation = 1 : i32, ceil_mode = false}> : (tensor<1x32x32x64xbf16>) -> tensor<1x16x16x64xbf16>
  return %4 : tensor<1x16x16x64xbf16>
}
