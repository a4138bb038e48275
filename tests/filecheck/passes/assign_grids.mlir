// RUN: ttstack opt %s --system-desc wormhole -p "dispatch,assign-grids" | filecheck %s
// RUN: not ttstack opt %s -p "assign-grids" 2>&1 | filecheck %s --check-prefix=NONE
// NONE: error[TT0101]: the module has no device description
// NONE: = help: run 'attach-system-desc{system-desc=wormhole}' first, or give --system-desc
// One round on four cores, on all 64, and 65 tiles in two rounds on 33.
// CHECK-LABEL: func.func @tiles
// CHECK: "ttir.tile_exp"
// CHECK: tt.grid = #tt.grid<[1, 4]>
// CHECK: "ttir.tile_exp"
// CHECK: tt.grid = #tt.grid<[8, 8]>
// CHECK: "ttir.tile_exp"
// CHECK: tt.grid = #tt.grid<[5, 8]>
func.func @tiles(%a: tensor<64x64xf32>, %b: tensor<256x256xf32>, %c: tensor<32x2080xf32>) -> (tensor<64x64xf32>, tensor<256x256xf32>, tensor<32x2080xf32>) {
  %0 = "ttir.exp"(%a) : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %1 = "ttir.exp"(%b) : (tensor<256x256xf32>) -> tensor<256x256xf32>
  %2 = "ttir.exp"(%c) : (tensor<32x2080xf32>) -> tensor<32x2080xf32>
  return %0, %1, %2 : tensor<64x64xf32>, tensor<256x256xf32>, tensor<32x2080xf32>
}
