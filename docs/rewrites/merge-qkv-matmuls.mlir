func.func @forward(%x: tensor<1x128x512xbf16>, %q: tensor<512x512xbf16> {tt.argument_type = #tt.argument_type<"parameter">, ttir.name = "q"}, %k: tensor<512x512xbf16> {tt.argument_type = #tt.argument_type<"parameter">, ttir.name = "k"}, %v: tensor<512x512xbf16> {tt.argument_type = #tt.argument_type<"parameter">, ttir.name = "v"}) -> (tensor<1x8x128x64xbf16>) {
  %0 = "ttir.matmul"(%x, %q) {transpose_b = true} : (tensor<1x128x512xbf16>, tensor<512x512xbf16>) -> tensor<1x128x512xbf16>
  %1 = "ttir.reshape"(%0) {shape = [1 : i32, 128 : i32, 8 : i32, 64 : i32]} : (tensor<1x128x512xbf16>) -> tensor<1x128x8x64xbf16>
  %2 = "ttir.transpose"(%1) {dim0 = 1 : si32, dim1 = 2 : si32} : (tensor<1x128x8x64xbf16>) -> tensor<1x8x128x64xbf16>
  %3 = "ttir.matmul"(%x, %k) {transpose_b = true} : (tensor<1x128x512xbf16>, tensor<512x512xbf16>) -> tensor<1x128x512xbf16>
  %4 = "ttir.reshape"(%3) {shape = [1 : i32, 128 : i32, 8 : i32, 64 : i32]} : (tensor<1x128x512xbf16>) -> tensor<1x128x8x64xbf16>
  %5 = "ttir.transpose"(%4) {dim0 = 1 : si32, dim1 = 2 : si32} : (tensor<1x128x8x64xbf16>) -> tensor<1x8x128x64xbf16>
  %6 = "ttir.matmul"(%x, %v) {transpose_b = true} : (tensor<1x128x512xbf16>, tensor<512x512xbf16>) -> tensor<1x128x512xbf16>
  %7 = "ttir.reshape"(%6) {shape = [1 : i32, 128 : i32, 8 : i32, 64 : i32]} : (tensor<1x128x512xbf16>) -> tensor<1x128x8x64xbf16>
  %8 = "ttir.transpose"(%7) {dim0 = 1 : si32, dim1 = 2 : si32} : (tensor<1x128x8x64xbf16>) -> tensor<1x8x128x64xbf16>
  %9 = "ttir.scaled_dot_product_attention"(%2, %5, %8) {is_causal = false, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>} : (tensor<1x8x128x64xbf16>, tensor<1x8x128x64xbf16>, tensor<1x8x128x64xbf16>) -> tensor<1x8x128x64xbf16>
  return %9 : tensor<1x8x128x64xbf16>
}
