func.func @forward(%grad: tensor<1x8x1024x32xf32>, %q: tensor<1x8x1024x32xf32>, %k: tensor<1x8x1024x32xf32>, %v: tensor<1x8x1024x32xf32>) -> (tensor<1x8x1024x32xf32>, tensor<1x8x1024x32xf32>, tensor<1x8x1024x32xf32>) {
  %0:2 = "ttir.sdpa_fw"(%q, %k, %v) {return_intermediates = true, mask_type = #tt.attention_mask_type<"causal">} : (tensor<1x8x1024x32xf32>, tensor<1x8x1024x32xf32>, tensor<1x8x1024x32xf32>) -> (tensor<1x8x1024x32xf32>, tensor<1x8x1024x32xf32>)
  %1:3 = "ttir.sdpa_bw"(%grad, %0#0, %q, %k, %v, %0#1) {mask_type = #tt.attention_mask_type<"causal">} : (tensor<1x8x1024x32xf32>, tensor<1x8x1024x32xf32>, tensor<1x8x1024x32xf32>, tensor<1x8x1024x32xf32>, tensor<1x8x1024x32xf32>, tensor<1x8x1024x32xf32>) -> (tensor<1x8x1024x32xf32>, tensor<1x8x1024x32xf32>, tensor<1x8x1024x32xf32>)
  return %1#0, %1#1, %1#2 : tensor<1x8x1024x32xf32>, tensor<1x8x1024x32xf32>, tensor<1x8x1024x32xf32>
}
