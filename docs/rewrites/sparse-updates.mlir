func.func @forward(%table: tensor<4000000x64xbf16>, %i: tensor<4x8xi32>, %g: tensor<4x8x64xbf16>, %rate: tensor<1x1xbf16>) -> tensor<4000000x64xbf16> {
  %0 = "ttir.embedding_backward"(%i, %table, %g) : (tensor<4x8xi32>, tensor<4000000x64xbf16>, tensor<4x8x64xbf16>) -> tensor<4000000x64xbf16>
  %1 = "ttir.multiply"(%0, %rate) : (tensor<4000000x64xbf16>, tensor<1x1xbf16>) -> tensor<4000000x64xbf16>
  %2 = "ttir.add"(%table, %1) : (tensor<4000000x64xbf16>, tensor<4000000x64xbf16>) -> tensor<4000000x64xbf16>
  return %2 : tensor<4000000x64xbf16>
}
