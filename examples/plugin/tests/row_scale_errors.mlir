// RUN: ttstack opt %s --split-input-file --verify-diagnostics

func.func @scale_of_columns(%x: tensor<32x64xf32>, %s: tensor<1x64xf32>) -> tensor<32x64xf32> {
  // expected-error @below {{scale tensor<1x64xf32> is not one for each row}}
  %0 = "ttir.row_scale"(%x, %s) : (tensor<32x64xf32>, tensor<1x64xf32>) -> tensor<32x64xf32>
  return %0 : tensor<32x64xf32>
}

// -----

func.func @scale_of_fewer_rows(%x: tensor<32x64xf32>, %s: tensor<16x1xf32>) -> tensor<32x64xf32> {
  // expected-error-re @below {{scale tensor<{{[0-9]+}}x1xf32> is not one}}
  %0 = "ttir.row_scale"(%x, %s) : (tensor<32x64xf32>, tensor<16x1xf32>) -> tensor<32x64xf32>
  return %0 : tensor<32x64xf32>
}
