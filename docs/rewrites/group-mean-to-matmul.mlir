func.func @forward(%x: tensor<512x768xbf16>, %w: tensor<768xbf16> {tt.argument_type = #tt.argument_type<"parameter">, ttir.name = "w"}, %b: tensor<768xbf16> {tt.argument_type = #tt.argument_type<"parameter">, ttir.name = "b"}) -> (tensor<512x768xbf16>) {
  %0 = "ttir.reshape"(%x) {shape = [512 : i32, 12 : i32, 64 : i32]} : (tensor<512x768xbf16>) -> tensor<512x12x64xbf16>
  %1 = "ttir.layer_norm"(%0) {normalized_shape = array<i64: 64>, operandSegmentSizes = array<i32: 1, 0, 0, 0>} : (tensor<512x12x64xbf16>) -> tensor<512x12x64xbf16>
  %2 = "ttir.reshape"(%1) {shape = [512 : i32, 768 : i32]} : (tensor<512x12x64xbf16>) -> tensor<512x768xbf16>
  %3 = "ttir.reshape"(%w) {shape = [1 : i32, 768 : i32]} : (tensor<768xbf16>) -> tensor<1x768xbf16>
  %4 = "ttir.multiply"(%2, %3) : (tensor<512x768xbf16>, tensor<1x768xbf16>) -> tensor<512x768xbf16>
  %5 = "ttir.reshape"(%b) {shape = [1 : i32, 768 : i32]} : (tensor<768xbf16>) -> tensor<1x768xbf16>
  %6 = "ttir.add"(%4, %5) : (tensor<512x768xbf16>, tensor<1x768xbf16>) -> tensor<512x768xbf16>
  return %6 : tensor<512x768xbf16>
}
