// RUN: ttstack opt %s -p convert-results | filecheck %s

// A result of another element type is a typecast of what the op gives.
// CHECK-LABEL: @narrower
// CHECK: %[[P:.+]] = "ttir.multiply"(%{{.+}}, %{{.+}}) : (tensor<4x8xf32>, tensor<4x8xbf16>) -> tensor<4x8xf32>
// CHECK-NEXT: %[[R:.+]] = "ttir.typecast"(%[[P]]) : (tensor<4x8xf32>) -> tensor<4x8xbf16>
// CHECK-NEXT: return %[[R]]
func.func @narrower(%a: tensor<4x8xf32>, %b: tensor<4x8xbf16>) -> tensor<4x8xbf16> {
  %0 = "ttir.multiply"(%a, %b) : (tensor<4x8xf32>, tensor<4x8xbf16>) -> tensor<4x8xbf16>
  return %0 : tensor<4x8xbf16>
}

// Operands are cast first where the op would lose what the result can hold: a mean of integers is no integer.
// CHECK-LABEL: @wider
// CHECK: %[[X:.+]] = "ttir.typecast"(%{{.+}}) : (tensor<4x8xi32>) -> tensor<4x8xf32>
// CHECK-NEXT: "ttir.mean"(%[[X]]) {{.+}} : (tensor<4x8xf32>) -> tensor<4xf32>
// CHECK-NEXT: return
func.func @wider(%a: tensor<4x8xi32>) -> tensor<4xf32> {
  %0 = "ttir.mean"(%a) <{keep_dim = false, dim_arg = [1 : i32]}> : (tensor<4x8xi32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// Types of one width that hold different values meet in a wider one.
// CHECK-LABEL: @mixed
// CHECK-COUNT-2: "ttir.typecast"{{.+}} -> tensor<4xf32>
// CHECK: "ttir.add"{{.+}} -> tensor<4xf32>
// CHECK: "ttir.typecast"{{.+}} -> tensor<4xbf16>
func.func @mixed(%a: tensor<4xf16>, %b: tensor<4xbf16>) -> tensor<4xbf16> {
  %0 = "ttir.add"(%a, %b) : (tensor<4xf16>, tensor<4xbf16>) -> tensor<4xbf16>
  return %0 : tensor<4xbf16>
}

// CHECK-LABEL: @scalar
// CHECK: %[[P:.+]] = "ttir.matmul"{{.+}} -> tensor<f32>
// CHECK-NEXT: "ttir.reshape"(%[[P]]) {{.+}} -> tensor<1xf32>
func.func @scalar(%a: tensor<8xf32>) -> tensor<1xf32> {
  %0 = "ttir.matmul"(%a, %a) : (tensor<8xf32>, tensor<8xf32>) -> tensor<1xf32>
  return %0 : tensor<1xf32>
}

// CHECK-LABEL: @elements
// CHECK: "ttir.constant"() {value = dense<[1, 2]> : tensor<2xi32>} : () -> tensor<2xi32>
// CHECK-NEXT: "ttir.typecast"{{.+}} -> tensor<2xf32>
func.func @elements() -> tensor<2xf32> {
  %0 = "ttir.constant"() <{value = dense<[1, 2]> : tensor<2xi32>}> : () -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
