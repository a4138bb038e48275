// RUN: not ttstack opt %s -p "inline-calls" 2>&1 | filecheck %s
// CHECK: error[TT0101]: function 'f' calls itself
// CHECK-NEXT: recursion.mlir
func.func @f(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @g(%a) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func private @g(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @f(%a) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
