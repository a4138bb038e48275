"""Matmuls and convolutions; integers use the accumulator's element type, without zero points."""

from functools import partial
from typing import Any

from ttstack.dialects.ttir.build import cast, elementwise, permute_dims, reshape_to, splat
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.types import read_type
from ttstack.frontends.stablehlo_to_ttir.shape import pad_around
from ttstack.frontends.tosa_to_ttir.tosa_op import TosaConversionTable, TosaOp
from ttstack.mlir import ir
from ttstack.ops.types import TensorType

CONVERSIONS = TosaConversionTable()

_AXES = ("batch", "depth", "height", "width", "channel")


@CONVERSIONS("matmul", "matmul_t", to="matmul subtract")
def _matmul(call: TosaOp) -> ir.Value:
    """Multiply batches of matrices."""
    turned = call.name.endswith("_t")
    return ttir.matmul(_without_zero(call, 0, 2), _without_zero(call, 1, 3), transpose_b=turned)


def _without_zero(call: TosaOp, i: int, zero: int) -> ir.Value:
    """Return operand `i` minus its zero point, in the result's element type."""
    x = cast(call.tensor(i), call.result.dtype)
    number = call.number(zero)
    return elementwise("subtract", x, number, result=read_type(x.type)) if number else x


@CONVERSIONS("conv2d", "conv3d", to="conv2d conv3d subtract add permute pad slice_static")
def _conv(call: TosaOp) -> ir.Value:
    """Permute kernels to channels first."""
    rank = call.type(0).rank - 2
    w = permute_dims(_without_zero(call, 1, 4), (0, rank + 1, *range(1, rank + 1)))
    return _convolve(call, w, 1)


@CONVERSIONS("depthwise_conv2d", to="conv2d subtract add permute reshape pad")
def _depthwise(call: TosaOp) -> ir.Value:
    """Use as many groups as channels."""
    height, width, channels, each = call.type(1).shape
    w = permute_dims(_without_zero(call, 1, 4), (2, 3, 0, 1))
    return _convolve(call, reshape_to(w, (channels * each, 1, height, width)), channels)


def _convolve(call: TosaOp, w: ir.Value, groups: int) -> ir.Value:
    x = _without_zero(call, 0, 3)
    sides, dilation = call.integers("pad"), call.integers("dilation")
    names = _AXES if len(dilation) == 3 else (_AXES[0], *_AXES[2:])
    attributes: dict[str, Any] = {f"{name}_dim": d for d, name in enumerate(names)}
    attributes |= {"stride": call.integers("stride"), "padding": (*sides[::2], *sides[1::2]), "groups": groups}
    if len(dilation) == 2:
        attributes["dilation"] = dilation
    elif set(dilation) != {1}:
        call.refuse(f"has dilation {list(dilation)}", "3-D convolutions of dilation 1 are supported")
    return _add_bias(call, ttir.build(f"conv{len(dilation)}d", x, w, **attributes))


@CONVERSIONS("transpose_conv2d", to="conv2d reverse subtract add permute pad slice_static")
def _transpose_conv2d(call: TosaOp) -> ir.Value:
    """Convolve the input with inserted zeros by the reversed kernel."""
    x, w = _without_zero(call, 0, 3), _without_zero(call, 1, 4)
    _, height, width, _ = call.type(1).shape
    top, bottom, left, right = call.integers("out_pad")
    between = [stride - 1 for stride in call.integers("stride")]
    low, high = (0, height - 1 + top, width - 1 + left, 0), (0, height - 1 + bottom, width - 1 + right, 0)
    spread = pad_around(x, splat(0, TensorType((), call.result.dtype)), low, high, (0, *between, 0))
    turned = permute_dims(ttir.reverse(w, dimensions=(1, 2)), (0, 3, 1, 2))
    attributes: dict[str, Any] = {"stride": (1, 1), "padding": (0, 0), "dilation": (1, 1), "groups": 1}
    places: dict[str, Any] = {f"{name}_dim": d for d, name in enumerate((_AXES[0], *_AXES[2:]))}
    return _add_bias(call, ttir.conv2d(spread, turned, **attributes, **places))


def _add_bias(call: TosaOp, x: ir.Value) -> ir.Value:
    f = partial(elementwise, result=call.result)
    return f("add", x, cast(call.tensor(2), call.result.dtype))
