func.func @forward(%a: tensor<1024x1024xbf16>, %b: tensor<1024x1024xbf16>, %c: tensor<1024x1024xbf16> {tt.argument_type = #tt.argument_type<"parameter">}, %d: tensor<1024x1024xbf16> {tt.argument_type = #tt.argument_type<"parameter">}) -> (tensor<1024x1024xbf16>, tensor<1024x1024xbf16>) {
  %0 = "ttir.matmul"(%a, %c) : (tensor<1024x1024xbf16>, tensor<1024x1024xbf16>) -> tensor<1024x1024xbf16>
  %1 = "ttir.matmul"(%b, %d) : (tensor<1024x1024xbf16>, tensor<1024x1024xbf16>) -> tensor<1024x1024xbf16>
  %2 = "ttir.subtract"(%0, %1) : (tensor<1024x1024xbf16>, tensor<1024x1024xbf16>) -> tensor<1024x1024xbf16>
  %3 = "ttir.matmul"(%a, %d) : (tensor<1024x1024xbf16>, tensor<1024x1024xbf16>) -> tensor<1024x1024xbf16>
  %4 = "ttir.matmul"(%b, %c) : (tensor<1024x1024xbf16>, tensor<1024x1024xbf16>) -> tensor<1024x1024xbf16>
  %5 = "ttir.add"(%3, %4) : (tensor<1024x1024xbf16>, tensor<1024x1024xbf16>) -> tensor<1024x1024xbf16>
  return %2, %5 : tensor<1024x1024xbf16>, tensor<1024x1024xbf16>
}
