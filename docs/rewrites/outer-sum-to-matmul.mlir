func.func @forward(%x: tensor<50x196x64xbf16>, %a: tensor<14x64xbf16> {tt.argument_type = #tt.argument_type<"parameter">, ttir.name = "a"}, %b: tensor<14x64xbf16> {tt.argument_type = #tt.argument_type<"parameter">, ttir.name = "b"}) -> (tensor<50x196x196xbf16>) {
  %0 = "ttir.permute"(%a) {permutation = array<i64: 1, 0>} : (tensor<14x64xbf16>) -> tensor<64x14xbf16>
  %1 = "ttir.matmul"(%x, %0) : (tensor<50x196x64xbf16>, tensor<64x14xbf16>) -> tensor<50x196x14xbf16>
  %2 = "ttir.unsqueeze"(%1) {dim = 3 : si32} : (tensor<50x196x14xbf16>) -> tensor<50x196x14x1xbf16>
  %3 = "ttir.permute"(%b) {permutation = array<i64: 1, 0>} : (tensor<14x64xbf16>) -> tensor<64x14xbf16>
  %4 = "ttir.matmul"(%x, %3) : (tensor<50x196x64xbf16>, tensor<64x14xbf16>) -> tensor<50x196x14xbf16>
  %5 = "ttir.unsqueeze"(%4) {dim = 2 : si32} : (tensor<50x196x14xbf16>) -> tensor<50x196x1x14xbf16>
  %6 = "ttir.add"(%2, %5) : (tensor<50x196x14x1xbf16>, tensor<50x196x1x14xbf16>) -> tensor<50x196x14x14xbf16>
  %7 = "ttir.reshape"(%6) {shape = [50 : i32, 196 : i32, 196 : i32]} : (tensor<50x196x14x14xbf16>) -> tensor<50x196x196xbf16>
  %8 = "ttir.softmax"(%7) {dimension = -1 : si32, numericStable = true} : (tensor<50x196x196xbf16>) -> tensor<50x196x196xbf16>
  return %8 : tensor<50x196x196xbf16>
}
