"""StableHLO modules with loops, as JAX writes them."""

STEADY = """
func.func @main(%x: tensor<32x64xf32>, %w: tensor<64x64xf32>) -> (tensor<32x64xf32>, tensor<i32>) {
  %c0 = stablehlo.constant dense<0> : tensor<i32>
  %tol = stablehlo.constant dense<1.0e-3> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %one = stablehlo.constant dense<1.0> : tensor<f32>
  %r:4 = stablehlo.while(%a = %x, %i = %c0, %d = %one, %v = %w)
      : tensor<32x64xf32>, tensor<i32>, tensor<f32>, tensor<64x64xf32>
   cond {
    %p = stablehlo.compare GT, %d, %tol, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
   } do {
    %m = stablehlo.dot_general %a, %v, contracting_dims = [1] x [0]
        : (tensor<32x64xf32>, tensor<64x64xf32>) -> tensor<32x64xf32>
    %t = stablehlo.tanh %m : tensor<32x64xf32>
    %half = stablehlo.constant dense<0.5> : tensor<32x64xf32>
    %h = stablehlo.multiply %t, %half : tensor<32x64xf32>
    %s = stablehlo.subtract %h, %a : tensor<32x64xf32>
    %ab = stablehlo.abs %s : tensor<32x64xf32>
    %mx = stablehlo.reduce(%ab init: %zero) applies stablehlo.maximum across dimensions = [0, 1]
        : (tensor<32x64xf32>, tensor<f32>) -> tensor<f32>
    %c1 = stablehlo.constant dense<1> : tensor<i32>
    %j = stablehlo.add %i, %c1 : tensor<i32>
    stablehlo.return %h, %j, %mx, %v : tensor<32x64xf32>, tensor<i32>, tensor<f32>, tensor<64x64xf32>
   }
  return %r#0, %r#1 : tensor<32x64xf32>, tensor<i32>
}
"""
"""Repeats until a value changes by less than 0.001, and counts how often."""

FORWARD = "%n1 = stablehlo.add %i, %c0 : tensor<i32>"
BACKWARD = "%n1 = stablehlo.subtract %last, %i : tensor<i32>"


def scan(count: int, index: str = FORWARD) -> str:
    """`jax.lax.scan` of a recurrent layer over `count` rows, with all states as one result."""
    rows, state = f"tensor<{count}x4x8xf32>", "tensor<4x8xf32>"
    return f"""
func.func @main(%x: {rows}, %h: {state}, %w: tensor<8x8xf32>) -> ({state}, {rows}) {{
  %c0 = stablehlo.constant dense<0> : tensor<i32>
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %last = stablehlo.constant dense<{count - 1}> : tensor<i32>
  %ys = stablehlo.broadcast_in_dim %z, dims = [] : (tensor<f32>) -> {rows}
  %r:5 = stablehlo.while(%xs = %x, %v = %w, %i = %c0, %a = %h, %out = %ys)
      : {rows}, tensor<8x8xf32>, tensor<i32>, {state}, {rows}
   cond {{
    %lim = stablehlo.constant dense<{count}> : tensor<i32>
    %p = stablehlo.compare LT, %i, %lim, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
   }} do {{
    {index}
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %s = stablehlo.dynamic_slice %xs, %n1, %zero, %zero, sizes = [1, 4, 8]
        : ({rows}, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x4x8xf32>
    %s2 = stablehlo.reshape %s : (tensor<1x4x8xf32>) -> {state}
    %m = stablehlo.dot_general %a, %v, contracting_dims = [1] x [0] : ({state}, tensor<8x8xf32>) -> {state}
    %t0 = stablehlo.add %m, %s2 : {state}
    %t = stablehlo.tanh %t0 : {state}
    %u = stablehlo.reshape %t : ({state}) -> tensor<1x4x8xf32>
    %o = stablehlo.dynamic_update_slice %out, %u, %n1, %zero, %zero
        : ({rows}, tensor<1x4x8xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> {rows}
    %c1 = stablehlo.constant dense<1> : tensor<i32>
    %j = stablehlo.add %i, %c1 : tensor<i32>
    stablehlo.return %xs, %v, %j, %t, %o : {rows}, tensor<8x8xf32>, tensor<i32>, {state}, {rows}
   }}
  return %r#3, %r#4 : {state}, {rows}
}}
"""


NESTED = """
func.func @main(%x: tensor<4x8xf32>, %n: tensor<i32>) -> tensor<4x8xf32> {
  %c0 = stablehlo.constant dense<0> : tensor<i32>
  %c1 = stablehlo.constant dense<1> : tensor<i32>
  %r:2 = stablehlo.while(%i = %c0, %a = %x) : tensor<i32>, tensor<4x8xf32>
   cond {
    %p = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
   } do {
    %q:2 = stablehlo.while(%k = %c0, %b = %a) : tensor<i32>, tensor<4x8xf32>
     cond {
      %p = stablehlo.compare LT, %k, %i, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
     } do {
      %s = stablehlo.sine %b : tensor<4x8xf32>
      %kk = stablehlo.add %k, %c1 : tensor<i32>
      stablehlo.return %kk, %s : tensor<i32>, tensor<4x8xf32>
     }
    %d = stablehlo.add %q#1, %x : tensor<4x8xf32>
    %j = stablehlo.add %i, %c1 : tensor<i32>
    stablehlo.return %j, %d : tensor<i32>, tensor<4x8xf32>
   }
  return %r#1 : tensor<4x8xf32>
}
"""
"""A loop in a loop, whose number of iterations is the number of the outer one."""
