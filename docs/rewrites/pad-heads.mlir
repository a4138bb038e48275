func.func @forward(%x: tensor<1x196x192xbf16>, %q: tensor<192x192xbf16> {tt.argument_type = #tt.argument_type<"parameter">, ttir.name = "q"}, %k: tensor<192x192xbf16> {tt.argument_type = #tt.argument_type<"parameter">, ttir.name = "k"}, %v: tensor<192x192xbf16> {tt.argument_type = #tt.argument_type<"parameter">, ttir.name = "v"}, %o: tensor<192x192xbf16> {tt.argument_type = #tt.argument_type<"parameter">, ttir.name = "o"}) -> (tensor<1x196x192xbf16>) {
  %0 = "ttir.matmul"(%x, %q) {transpose_b = true} : (tensor<1x196x192xbf16>, tensor<192x192xbf16>) -> tensor<1x196x192xbf16>
  %1 = "ttir.reshape"(%0) {shape = [1 : i32, 196 : i32, 4 : i32, 48 : i32]} : (tensor<1x196x192xbf16>) -> tensor<1x196x4x48xbf16>
  %2 = "ttir.transpose"(%1) {dim0 = 1 : si32, dim1 = 2 : si32} : (tensor<1x196x4x48xbf16>) -> tensor<1x4x196x48xbf16>
  %3 = "ttir.matmul"(%x, %k) {transpose_b = true} : (tensor<1x196x192xbf16>, tensor<192x192xbf16>) -> tensor<1x196x192xbf16>
  %4 = "ttir.reshape"(%3) {shape = [1 : i32, 196 : i32, 4 : i32, 48 : i32]} : (tensor<1x196x192xbf16>) -> tensor<1x196x4x48xbf16>
  %5 = "ttir.transpose"(%4) {dim0 = 1 : si32, dim1 = 2 : si32} : (tensor<1x196x4x48xbf16>) -> tensor<1x4x196x48xbf16>
  %6 = "ttir.transpose"(%5) {dim0 = 2 : si32, dim1 = 3 : si32} : (tensor<1x4x196x48xbf16>) -> tensor<1x4x48x196xbf16>
  %7 = "ttir.matmul"(%2, %6) : (tensor<1x4x196x48xbf16>, tensor<1x4x48x196xbf16>) -> tensor<1x4x196x196xbf16>
  %8 = "ttir.softmax"(%7) {dimension = -1 : si32, numericStable = true} : (tensor<1x4x196x196xbf16>) -> tensor<1x4x196x196xbf16>
  %9 = "ttir.log"(%8) : (tensor<1x4x196x196xbf16>) -> tensor<1x4x196x196xbf16>
  %10 = "ttir.softmax"(%9) {dimension = -1 : si32, numericStable = true} : (tensor<1x4x196x196xbf16>) -> tensor<1x4x196x196xbf16>
  %11 = "ttir.matmul"(%x, %v) {transpose_b = true} : (tensor<1x196x192xbf16>, tensor<192x192xbf16>) -> tensor<1x196x192xbf16>
  %12 = "ttir.reshape"(%11) {shape = [1 : i32, 196 : i32, 4 : i32, 48 : i32]} : (tensor<1x196x192xbf16>) -> tensor<1x196x4x48xbf16>
  %13 = "ttir.transpose"(%12) {dim0 = 1 : si32, dim1 = 2 : si32} : (tensor<1x196x4x48xbf16>) -> tensor<1x4x196x48xbf16>
  %14 = "ttir.matmul"(%10, %13) : (tensor<1x4x196x196xbf16>, tensor<1x4x196x48xbf16>) -> tensor<1x4x196x48xbf16>
  %15 = "ttir.transpose"(%14) {dim0 = 1 : si32, dim1 = 2 : si32} : (tensor<1x4x196x48xbf16>) -> tensor<1x196x4x48xbf16>
  %16 = "ttir.reshape"(%15) {shape = [1 : i32, 196 : i32, 192 : i32]} : (tensor<1x196x4x48xbf16>) -> tensor<1x196x192xbf16>
  %17 = "ttir.matmul"(%16, %o) {transpose_b = true} : (tensor<1x196x192xbf16>, tensor<192x192xbf16>) -> tensor<1x196x192xbf16>
  return %17 : tensor<1x196x192xbf16>
}
