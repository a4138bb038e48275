// RUN: ttstack opt %s -p "inline-calls" | filecheck %s
// CHECK-NOT: call
// CHECK-NOT: @twice
// CHECK-LABEL: func.func @f
// CHECK-NEXT: [[A:%.+]] = "ttir.exp"(%arg0)
// CHECK-NEXT: [[B:%.+]] = "ttir.exp"([[A]])
// CHECK-NEXT: [[C:%.+]] = "ttir.add"(%arg0, [[B]])
// CHECK-NEXT: return [[C]]
func.func @f(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @twice(%a) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = "ttir.add"(%a, %0) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}
func.func private @twice(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @once(%a) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = call @once(%0) : (tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}
// CHECK-LABEL: func.func @once
// CHECK-NEXT: "ttir.exp"
func.func @once(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "ttir.exp"(%a) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
