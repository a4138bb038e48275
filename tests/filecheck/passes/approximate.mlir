// RUN: ttstack opt %s -p "approximate{names=gelu}" | filecheck %s
// RUN: ttstack opt %s -p "approximate" | filecheck %s --check-prefix=EXACT

// CHECK-LABEL: @forms
// CHECK: "ttir.gelu_fast"
// CHECK: "ttir.gelu_fast"
// CHECK: "ttir.tanh"
// CHECK: activation = "gelu_fast"
// CHECK: activation = "relu"
// CHECK: ttir.activated_multiply
// CHECK-SAME: activation = "relu", lhs_activation = "gelu_fast", rhs_activation = "silu"
// EXACT-NOT: gelu_fast
func.func @forms(%x: tensor<32x32xbf16>) -> tensor<32x32xbf16> {
  %0 = "ttir.gelu"(%x) : (tensor<32x32xbf16>) -> tensor<32x32xbf16>
  %1 = "ttir.gelu_tanh"(%0) : (tensor<32x32xbf16>) -> tensor<32x32xbf16>
  %2 = "ttir.tanh"(%1) : (tensor<32x32xbf16>) -> tensor<32x32xbf16>
  %3 = "ttir.matmul"(%2, %x) {activation = "gelu"} : (tensor<32x32xbf16>, tensor<32x32xbf16>) -> tensor<32x32xbf16>
  %4 = "ttir.matmul"(%3, %x) {activation = "relu"} : (tensor<32x32xbf16>, tensor<32x32xbf16>) -> tensor<32x32xbf16>
  %5 = "ttir.activated_multiply"(%4, %3) {lhs_activation = "gelu", rhs_activation = "silu", activation = "relu"} : (tensor<32x32xbf16>, tensor<32x32xbf16>) -> tensor<32x32xbf16>
  return %5 : tensor<32x32xbf16>
}
