// RUN: ttstack opt %s -p "drop-layouts" | filecheck %s
#dram = #tt.layout<affine_map<(d0, d1) -> (d0, d1)>, #tt.grid<[1, 1]>, [2, 2], !tt.tile<[32, 32], f32>, #tt.memory_space<"dram">, #tt.memory_layout<"interleaved">>
// CHECK-NOT: #tt.layout
// CHECK-LABEL: func.func @f(%arg0: tensor<64x64xf32>) -> tensor<64x64xf32>
// CHECK: [[E:%.+]] = "ttir.exp"(%arg0) : (tensor<64x64xf32>) -> tensor<64x64xf32>
// CHECK-NEXT: return [[E]]
func.func @f(%a: tensor<64x64xf32>) -> tensor<64x64xf32, #dram> {
  %0 = "ttir.empty"() : () -> tensor<64x64xf32, #dram>
  %1 = "ttir.to_layout"(%a, %0) : (tensor<64x64xf32>, tensor<64x64xf32, #dram>) -> tensor<64x64xf32, #dram>
  %2 = "ttir.exp"(%1) : (tensor<64x64xf32, #dram>) -> tensor<64x64xf32, #dram>
  return %2 : tensor<64x64xf32, #dram>
}
