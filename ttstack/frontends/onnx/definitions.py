"""Definitions by simpler ops for ops of ONNX Runtime, and ops that ONNX defines differently or not at all."""

from collections.abc import Callable, Mapping
from math import prod
from typing import Any

import onnx
from onnx import FunctionProto, NodeProto, TypeProto

from ttstack.frontends.onnx.function_text import function
from ttstack.frontends.onnx.microsoft import MICROSOFT
from ttstack.frontends.onnx.rotary import rotary_embedding
from ttstack.frontends.onnx.types import static_shape

Types = Mapping[str, TypeProto]

_REDUCTIONS = ("L1", "L2", "LogSum", "LogSumExp", "Max", "Mean", "Min", "Prod", "Sum", "SumSquare")


def _centre(name: str, zero: str) -> str:
    """Return integers minus their zero point as real numbers, whose sums of products are exact up to 2^24."""
    return f"{name}_f = Cast<to = 1>({name}) {zero}_f = Cast<to = 1>({zero}) {name}_c = Sub({name}_f, {zero}_f)"


def _matmul(node: NodeProto, types: Types) -> FunctionProto | None:
    """Define a quantized matmul with scales and zero points per tensor, or per column of the second operand."""
    if any(_size(node.input[i], types) != 1 for i in (1, 2)):
        return None
    return function(
        "QLinearMatMul (a, a_scale, a_zero, b, b_scale, b_zero, y_scale, y_zero) => (y)",
        _centre("a", "a_zero"),
        _centre("b", "b_zero"),
        "of_a = Cast<to = 1>(a_scale) of_b = Cast<to = 1>(b_scale) of_y = Cast<to = 1>(y_scale)",  # half precision too
        "product = MatMul(a_c, b_c) scale = Mul(of_a, of_b) real = Mul(product, scale)",
        "y = QuantizeLinear(real, of_y, y_zero)",
    )


def _conv(node: NodeProto, types: Types) -> FunctionProto | None:
    """Define a quantized convolution with one scale for the image, and one or one per channel for the filters."""
    rank = len(static_shape(types[node.input[0]]) or ())
    by_filter = f"by_filter = Constant<value = int64[{rank}] {{-1{', 1' * (rank - 1)}}}>()"
    by_channel = f"by_channel = Constant<value = int64[{rank}] {{1, -1{', 1' * (rank - 2)}}}>()"
    attributes = ", ".join(f"{n}: ints = @{n}" for n in ("dilations", "kernel_shape", "pads", "strides"))
    biased = ["bias = Cast<to = 1>(b) biases = Reshape(bias, by_channel) total = Add(product, biases)"]
    return function(
        "QLinearConv (x, x_scale, x_zero, w, w_scale, w_zero, y_scale, y_zero, b) => (y)",
        _centre("x", "x_zero"),
        f"{by_filter} zeros = Reshape(w_zero, by_filter)",
        _centre("w", "zeros"),
        f"product = Conv<{attributes}, auto_pad: string = @auto_pad, group: int = @group>(x_c, w_c)",
        by_channel,
        *(biased if len(node.input) > 8 and node.input[8] else ["total = Identity(product)"]),
        "both = Mul(x_scale, w_scale) scale = Reshape(both, by_channel) real = Mul(total, scale)",
        "y = QuantizeLinear(real, y_scale, y_zero)",
    )


def _conv_integer(node: NodeProto, types: Types) -> FunctionProto | None:
    """Define a convolution of integers by one of real numbers, with one zero point each, or one for each filter."""
    rank = len(static_shape(types[node.input[0]]) or ())
    points = [*node.input[2:], "", ""]
    attributes = ", ".join(f"{n}: ints = @{n}" for n in ("dilations", "kernel_shape", "pads", "strides"))
    by_filter = f"by_filter = Constant<value = int64[{rank}] {{-1{', 1' * (rank - 1)}}}>()"
    return function(
        "ConvInteger (x, w, x_zero, w_zero) => (y)",
        _centre("x", "x_zero") if points[0] else "x_c = Cast<to = 1>(x)",
        f"{by_filter} zeros = Reshape(w_zero, by_filter) {_centre('w', 'zeros')}"
        if points[1]
        else "w_c = Cast<to = 1>(w)",
        f"product = Conv<{attributes}, auto_pad: string = @auto_pad, group: int = @group>(x_c, w_c)",
        "y = Cast<to = 6>(product)",
    )


def _group_norm(node: NodeProto, types: Types) -> FunctionProto | None:
    """Define a group norm: each group as one channel, then scale and bias by channel."""
    shape = static_shape(types[node.input[0]])
    groups = {a.name: a.i for a in node.attribute}["num_groups"]
    if shape is None:
        return None
    ones, zeros = (f"float[{groups}] {{{', '.join([number] * groups)}}}" for number in ("1.0", "0.0"))
    by_channel = (1, -1, *(1 for _ in shape[2:]))
    same, along = (f"int64[{len(shape)}] {{{', '.join(map(str, of))}}}" for of in (shape, by_channel))
    return function(
        "GroupNormalization (x, scale, bias) => (y)",
        f"by_group = Constant<value = int64[3] {{{shape[0]}, {groups}, -1}}>() rows = Reshape(x, by_group)",
        f"one = Constant<value = {ones}>() ones = CastLike(one, x)",
        f"zero = Constant<value = {zeros}>() zeros = CastLike(zero, x)",
        "normal = InstanceNormalization<epsilon: float = @epsilon>(rows, ones, zeros)",
        f"same = Constant<value = {same}>() images = Reshape(normal, same)",
        f"along = Constant<value = {along}>() scales = Reshape(scale, along) shifts = Reshape(bias, along)",
        "scaled = Mul(images, scales) y = Add(scaled, shifts)",
    )


def _depth_to_space(node: NodeProto, types: Types) -> FunctionProto | None:
    """Define `DepthToSpace` in column order, with rows and columns of a block as the inner parts of channels."""
    given: dict[str, Any] = {a.name: onnx.helper.get_attribute_value(a) for a in node.attribute}
    shape = static_shape(types[node.input[0]])
    if shape is None or given.get("mode", b"DCR") != b"CRD":
        return None
    block, (batch, channels, height, width) = given["blocksize"], shape
    apart = f"{batch}, {channels // block**2}, {block}, {block}, {height}, {width}"
    return function(
        "DepthToSpace (x) => (y)",
        f"apart = Constant<value = int64[6] {{{apart}}}>() blocks = Reshape(x, apart)",
        "pixels = Transpose<perm = [0, 1, 4, 2, 5, 3]>(blocks)",
        f"whole = Constant<value = int64[4] {{{batch}, -1, {height * block}, {width * block}}}>()",
        "y = Reshape(pixels, whole)",
    )


def _space_to_depth(node: NodeProto, types: Types) -> FunctionProto | None:
    """Define `SpaceToDepth` in column order: rows and columns of a block become the inner parts of channels."""
    given: dict[str, Any] = {a.name: onnx.helper.get_attribute_value(a) for a in node.attribute}
    shape = static_shape(types[node.input[0]])
    if shape is None or given.get("mode", b"DCR") != b"CRD":
        return None
    block, (batch, channels, height, width) = given["blocksize"], shape
    rows, columns = height // block, width // block
    return function(
        "SpaceToDepth (x) => (y)",
        f"apart = Constant<value = int64[6] {{{batch}, {channels}, {rows}, {block}, {columns}, {block}}}>()",
        "blocks = Reshape(x, apart) pixels = Transpose<perm = [0, 1, 3, 5, 2, 4]>(blocks)",
        f"whole = Constant<value = int64[4] {{{batch}, {channels * block**2}, {rows}, {columns}}}>()",
        "y = Reshape(pixels, whole)",
    )


def _gemm(node: NodeProto, _: Types) -> FunctionProto | None:
    """Define a `Gemm` without an addition as a scaled matmul."""
    given: dict[str, Any] = {a.name: onnx.helper.get_attribute_value(a) for a in node.attribute}
    if len(node.input) > 2 and node.input[2]:
        return None
    sides = (f"{x} = {'Transpose<perm = [1, 0]>' if given.get(f'trans{x}') else 'Identity'}({x}_0)" for x in "AB")
    return function(
        "Gemm (A_0, B_0) => (y)",
        *sides,
        f"alpha = Constant<value = float {{{given.get('alpha', 1.0)}}}>() scale = CastLike(alpha, A)",
        "matmul = MatMul(A, B)",
        "y = Identity(matmul)" if given.get("alpha", 1.0) == 1 else "y = Mul(matmul, scale)",
    )


def _lp_pool(node: NodeProto, _: Types) -> FunctionProto | None:
    """Define an Lp pool by a power mean."""
    given: dict[str, Any] = {a.name: onnx.helper.get_attribute_value(a) for a in node.attribute}
    if given.get("ceil_mode"):
        return None
    p, count = given.get("p", 2), prod(given["kernel_shape"])
    attributes = ", ".join(f"{n}: ints = @{n}" for n in ("dilations", "kernel_shape", "pads", "strides"))
    return function(
        "LpPool (x) => (y)",
        f"size = Abs(x) p = Constant<value = float {{{p}.0}}>() power = Pow(size, p)",
        f"mean = AveragePool<{attributes}, auto_pad: string = @auto_pad, count_include_pad = 1>(power)",
        f"count = Constant<value = float {{{count}.0}}>() total = Mul(mean, count)",
        f"root = Constant<value = float {{{1 / p}}}>() y = Pow(total, root)",
    )


def _lp_normalization(node: NodeProto, types: Types) -> FunctionProto | None:
    """Define Lp normalization, with zeros if the norm is 0."""
    given = {a.name: a.i for a in node.attribute}
    shape = static_shape(types[node.input[0]])
    if shape is None:
        return None
    return function(
        "LpNormalization (x) => (y)",
        f"axis = Constant<value = int64[1] {{{given.get('axis', -1) % len(shape)}}}>()",
        "size = Abs(x) norm = ReduceSum(size, axis)"
        if given.get("p", 2) == 1
        else "square = Mul(x, x) sum = ReduceSum(square, axis) norm = Sqrt(sum)",
        "zero = Constant<value = float {0.0}>() zeros = CastLike(zero, x) none = Equal(norm, zeros)",
        "one = Constant<value = float {1.0}>() ones = CastLike(one, x)",
        "divisor = Where(none, ones, norm) y = Div(x, divisor)",
    )


def _reduction(node: NodeProto, types: Types) -> FunctionProto | None:
    """Define a reduction with empty axes: over all axes, or over none with `noop_with_empty_axes`."""
    given = {a.name: a.i for a in node.attribute}
    axes = node.input[1] if len(node.input) > 1 else ""
    noop, shape = given.get("noop_with_empty_axes", 0), static_shape(types[node.input[0]])
    if (axes and static_shape(types[axes]) != (0,)) or not (axes or noop) or shape is None:
        return None
    op = node.op_type
    if not noop:
        return function(f"{op} (x, axes) => (y)", f"y = {op}<keepdims: int = @keepdims>(x)")
    return function(
        f"{op} (x, axes) => (y)",
        f"last = Constant<value = int64[1] {{{len(shape)}}}>() apart = Unsqueeze(x, last)",
        f"y = {op}<keepdims = 0>(apart, last)",
    )


def _reverse_sequence(node: NodeProto, types: Types) -> FunctionProto | None:
    """Define `ReverseSequence` by indices along time: reversed within a sequence, unchanged after it."""
    given = {a.name: a.i for a in node.attribute}
    batch, time = given.get("batch_axis", 1), given.get("time_axis", 0)
    shape = static_shape(types[node.input[0]])
    if shape is None or {batch, time} != {0, 1}:
        return None
    steps = ", ".join(map(str, range(shape[time])))
    column = (*shape[:2], *(1 for _ in shape[2:]))
    along = {axis: ", ".join(str(n if d == axis else 1) for d, n in enumerate(column)) for axis in (batch, time)}
    return function(
        "ReverseSequence (x, lengths) => (y)",
        f"steps = Constant<value = int64[{shape[time]}] {{{steps}}}>()",
        f"times = Constant<value = int64[{len(shape)}] {{{along[time]}}}>() step = Reshape(steps, times)",
        f"batches = Constant<value = int64[{len(shape)}] {{{along[batch]}}}>() length = Reshape(lengths, batches)",
        "one = Constant<value = int64 {1}>() last = Sub(length, one) back = Sub(last, step)",
        "within = Less(step, length) place = Where(within, back, step)",
        f"all = Constant<value = int64[{len(shape)}] {{{', '.join(map(str, shape))}}}>() places = Expand(place, all)",
        f"y = GatherElements<axis = {time}>(x, places)",
    )


def _size(name: str, types: Types) -> int | None:
    shape = static_shape(types[name])
    return None if shape is None else prod(shape)


DEFINITIONS: Mapping[str, Callable[[NodeProto, Types], FunctionProto | None]] = {
    "ConvInteger": _conv_integer,
    "DepthToSpace": _depth_to_space,
    "Gemm": _gemm,
    "GroupNormalization": _group_norm,
    "LpNormalization": _lp_normalization,
    "LpPool": _lp_pool,
    "QLinearConv": _conv,
    "QLinearMatMul": _matmul,
    "ReverseSequence": _reverse_sequence,
    "SpaceToDepth": _space_to_depth,
    **dict.fromkeys((f"Reduce{name}" for name in _REDUCTIONS), _reduction),
    **MICROSOFT,
    "com.microsoft.RotaryEmbedding": rotary_embedding,
}
"""Functions that define an op, by domain and name, for operands of these types; None for an unsupported form."""
