"""Definitions of the ops that ONNX Runtime's optimizer writes, of the domain com.microsoft."""

import math
from collections.abc import Callable, Mapping
from typing import Any

import onnx
from onnx import FunctionProto, NodeProto, TypeProto

from ttstack.frontends.onnx.function_text import function
from ttstack.frontends.onnx.types import static_shape

Types = Mapping[str, TypeProto]

_FUSED = {"Relu", "LeakyRelu", "Sigmoid", "Tanh", "HardSigmoid", "Clip"}
"""Activations that are fused into convolutions and matmuls."""


def _attributes(node: NodeProto) -> dict[str, Any]:
    return {a.name: onnx.helper.get_attribute_value(a) for a in node.attribute}


def _given(node: NodeProto, i: int) -> bool:
    return len(node.input) > i and bool(node.input[i])


def _number(name: str, value: float) -> str:
    """Return a constant of the type of `x`."""
    return f"{name}_c = Constant<value = float {{{value!r}}}>() {name} = CastLike({name}_c, x)"


def _erf_gelu(operand: str) -> str:
    """Return the exact GELU `y`, in ops of every operator set."""
    return (
        f"{_number('root', math.sqrt(0.5))} {_number('half', 0.5)} {_number('one', 1.0)} scaled = Mul({operand}, root)"
        f"erf = Erf(scaled) more = Add(erf, one) product = Mul({operand}, more) y = Mul(product, half)"
    )


def _bias_gelu(_node: NodeProto, _types: Types) -> FunctionProto:
    """Define a GELU of a sum."""
    return function("BiasGelu (x, b) => (y)", f"sum = Add(x, b) {_erf_gelu('sum')}")


def _gelu(_node: NodeProto, _types: Types) -> FunctionProto:
    """Define the exact GELU."""
    return function("Gelu (x) => (y)", _erf_gelu("x"))


def _fast_gelu(node: NodeProto, _types: Types) -> FunctionProto:
    """Define the GELU by tanh, of a sum if there is a bias."""
    return function(
        "FastGelu (x, b) => (y)",
        "sum = Add(x, b)" if _given(node, 1) else "sum = Identity(x)",
        f"{_number('root', math.sqrt(2 / math.pi))} {_number('half', 0.5)} {_number('one', 1.0)}",
        f"{_number('cubic', 0.044715)} square = Mul(sum, sum) cube = Mul(square, sum) share = Mul(cube, cubic)",
        "inner = Add(sum, share) scaled = Mul(inner, root) curve = Tanh(scaled) more = Add(curve, one)",
        "product = Mul(sum, more) y = Mul(product, half)",
    )


def _quick_gelu(node: NodeProto, _types: Types) -> FunctionProto:
    """Define `x * sigmoid(alpha * x)`."""
    alpha = _attributes(node).get("alpha", 1.702)
    return function(
        "QuickGelu (x) => (y)",
        f"alpha = Constant<value = float {{{alpha}}}>() scale = CastLike(alpha, x) scaled = Mul(x, scale)",
        "gate = Sigmoid(scaled) y = Mul(x, gate)",
    )


def _skip_layer_norm(node: NodeProto, _types: Types) -> FunctionProto:
    """Define a layer norm of a sum, with the sum as fourth result."""
    epsilon = _attributes(node).get("epsilon", 1e-5)
    shift = ", shift" if _given(node, 3) else ""
    return function(
        "SkipLayerNormalization (x, skip, scale, shift, bias) => (y, mean, deviation, sum)",
        _skip_sum(node, 4),
        f"y = LayerNormalization<axis = -1, epsilon = {epsilon}>(sum, scale{shift})",
    )


def _skip_rms_norm(node: NodeProto, types: Types) -> FunctionProto | None:
    """Define an RMS norm of a sum, with the sum as fourth result."""
    shape = static_shape(types[node.input[0]])
    if shape is None:
        return None
    epsilon = _attributes(node).get("epsilon", 1e-6)
    return function(
        "SkipSimplifiedLayerNormalization (x, skip, scale, bias) => (y, mean, deviation, sum)",
        _skip_sum(node, 3),
        f"last = Constant<value = int64[1] {{{len(shape) - 1}}}>() {_number('width', float(shape[-1]))}",
        f"{_number('epsilon', epsilon)} square = Mul(sum, sum) total = ReduceSum(square, last)",
        "power = Div(total, width) more = Add(power, epsilon)",
        "root = Sqrt(more) normal = Div(sum, root) y = Mul(normal, scale)",
    )


def _skip_sum(node: NodeProto, bias: int) -> str:
    """Return the sum of both inputs and of the bias, if it is given."""
    return f"first = Add(x, skip) sum = {'Add(first, bias)' if _given(node, bias) else 'Identity(first)'}"


def _fused_matmul(node: NodeProto, types: Types) -> FunctionProto | None:
    """Define a scaled matmul of operands whose last two dimensions are swapped, if so given."""
    given = _attributes(node)
    if given.get("transBatchA") or given.get("transBatchB"):
        return None
    sides = list[str]()
    for i, name in enumerate("AB"):
        shape = static_shape(types[node.input[i]])
        if shape is None:
            return None
        order = [*range(len(shape) - 2), len(shape) - 1, len(shape) - 2]
        turned = given.get(f"trans{name}") and len(shape) > 1
        sides.append(f"{name} = {f'Transpose<perm = {order}>' if turned else 'Identity'}({name}_0)")
    return function(
        "FusedMatMul (A_0, B_0) => (y)",
        *sides,
        f"alpha = Constant<value = float {{{given.get('alpha', 1.0)}}}>() scale = CastLike(alpha, A)",
        "matmul = MatMul(A, B) y = Mul(matmul, scale)",
    )


def _activation(node: NodeProto) -> str | None:
    """Return the call of a fused activation on `plain`; None for one that is not known."""
    given = _attributes(node)
    name = given.get("activation", b"").decode()
    if not name:
        return "Identity(plain)"
    if name not in _FUSED:
        return None
    numbers = list(given.get("activation_params", []))
    if name == "Clip" and len(numbers) == 2:
        return "Clip(plain, low, high)"
    attributes = {"LeakyRelu": ("alpha",), "HardSigmoid": ("alpha", "beta")}.get(name, ())
    text = ", ".join(f"{key} = {value}" for key, value in zip(attributes, numbers, strict=False))
    return f"{name}<{text}>(plain)" if text else f"{name}(plain)"


def _limits(node: NodeProto) -> str:
    """Return the constants of a fused `Clip`."""
    low, high = (*list(_attributes(node).get("activation_params", [])), 0.0, 0.0)[:2]
    return f"low = Constant<value = float {{{low}}}>() high = Constant<value = float {{{high}}}>()"


def _fused_conv(node: NodeProto, _types: Types) -> FunctionProto | None:
    """Define a convolution, a sum with a fourth operand, and an activation."""
    call = _activation(node)
    if call is None:
        return None
    attributes = ", ".join(f"{n}: ints = @{n}" for n in ("dilations", "kernel_shape", "pads", "strides"))
    bias = ", b" if _given(node, 2) else ""
    return function(
        "FusedConv (x, w, b, z) => (y)",
        f"image = Conv<{attributes}, auto_pad: string = @auto_pad, group: int = @group>(x, w{bias})",
        "plain = Add(image, z)" if _given(node, 3) else "plain = Identity(image)",
        f"{_limits(node)} y = {call}",
    )


def _fused_gemm(node: NodeProto, _types: Types) -> FunctionProto | None:
    """Define a `Gemm` and an activation."""
    call = _activation(node)
    if call is None:
        return None
    numbers = ", ".join(f"{n}: float = @{n}" for n in ("alpha", "beta"))
    sides = ", ".join(f"{n}: int = @{n}" for n in ("transA", "transB"))
    bias = ", c" if _given(node, 2) else ""
    return function(
        "FusedGemm (a, b, c) => (y)", f"plain = Gemm<{numbers}, {sides}>(a, b{bias}) {_limits(node)} y = {call}"
    )


MICROSOFT: Mapping[str, Callable[[NodeProto, Types], FunctionProto | None]] = {
    "com.microsoft.BiasGelu": _bias_gelu,
    "com.microsoft.FastGelu": _fast_gelu,
    "com.microsoft.FusedConv": _fused_conv,
    "com.microsoft.FusedGemm": _fused_gemm,
    "com.microsoft.FusedMatMul": _fused_matmul,
    "com.microsoft.Gelu": _gelu,
    "com.microsoft.QuickGelu": _quick_gelu,
    "com.microsoft.SkipLayerNormalization": _skip_layer_norm,
    "com.microsoft.SkipSimplifiedLayerNormalization": _skip_rms_norm,
}
"""Functions that define an op, as `definitions.DEFINITIONS`."""
