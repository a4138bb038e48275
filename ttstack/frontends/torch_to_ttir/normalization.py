"""Normalization, as one op if TTIR has it."""

import math
from functools import partial

import numpy as np

from ttstack.dialects.ttir.build import cast, elementwise, reshape_to
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.types import read_type
from ttstack.frontends.torch_to_ttir.table import TorchConversionTable
from ttstack.frontends.torch_to_ttir.torch_op import TorchOp
from ttstack.frontends.torch_to_ttir.training import OF_MODULES, STATISTICS
from ttstack.mlir import ir
from ttstack.ops.shapes import axis
from ttstack.ops.types import DType, ElementType, TensorType

CONVERSIONS = TorchConversionTable()

_STATISTICS = "mean subtract multiply add rsqrt reshape"


@CONVERSIONS("layer_norm", to="layer_norm")
def _layer_norm(call: TorchOp) -> ir.Value:
    """Normalize over trailing dimensions."""
    return _trailing_norm(call)


@CONVERSIONS("rms_norm", to="rms_norm")
def _rms_norm(call: TorchOp) -> ir.Value:
    """Normalize over trailing dimensions; the default epsilon is that of the element type."""
    epsilon = _machine_epsilon(call.result.dtype) if call.is_none(3) else float(call.number(3))
    return ttir.rms_norm(call.tensor(0), call.optional(2), normalized_shape=call.integers(1), epsilon=epsilon)


@CONVERSIONS("batch_norm", to="batch_norm_inference ones zeros layer_norm reshape multiply add")
def _batch_norm(call: TorchOp) -> ir.Value:
    """Use the running statistics; without them, normalize one sample, as in weight standardization."""
    if call.is_none(3) and call.result.shape[0] == 1:
        return _of_one_sample(call, epsilon=float(call.number(7)))
    if call.flag(5) or call.is_none(3):
        call.refuse("normalises by the statistics of its input", STATISTICS)
    return _with_statistics(call, call.tensor(3), call.tensor(4), epsilon=float(call.number(7)))


@CONVERSIONS("_native_batch_norm_legit_no_training", to="batch_norm_inference ones zeros")
def _batch_norm_no_training(call: TorchOp) -> list[ir.Value]:
    """Use the running statistics; results for training must be unused."""
    _only_the_first(call)
    return [_with_statistics(call, call.tensor(3), call.tensor(4), epsilon=float(call.number(6)))] * len(call.results)


@CONVERSIONS("_native_batch_norm_legit.no_stats", to="layer_norm reshape multiply add")
def _batch_norm_of_one(call: TorchOp) -> list[ir.Value]:
    """Apply layer norm to each channel of one sample, as for an instance norm."""
    _only_the_first(call)
    if call.result.shape[0] != 1:
        call.refuse("normalises by the statistics of its input", STATISTICS)
    return [_of_one_sample(call, epsilon=float(call.number(5)))] * len(call.results)


def _of_one_sample(call: TorchOp, *, epsilon: float) -> ir.Value:
    """Apply layer norm to each channel, then a scale and a shift per channel."""
    result = call.result
    width = math.prod(result.shape[2:])
    apart = reshape_to(call.tensor(0), (result.shape[1], width))
    normal = ttir.layer_norm(apart, normalized_shape=(width,), epsilon=epsilon)
    return _per_channel(reshape_to(normal, result.shape), call.optional(1), call.optional(2), result)


def _with_statistics(call: TorchOp, mean: ir.Value, variance: ir.Value, *, epsilon: float) -> ir.Value:
    t = read_type(mean.type)
    scale, offset = call.optional(1), call.optional(2)
    scale = ttir.ones(result=t, shape=t.shape) if scale is None else scale
    offset = ttir.zeros(result=t, shape=t.shape) if offset is None else offset
    operands = [call.tensor(0), scale, offset, mean, variance]
    return ttir.batch_norm_inference(*operands, epsilon=epsilon, dimension=1)


_GROUPS = "group_norm layer_norm reshape multiply add"


@CONVERSIONS("group_norm", to=_GROUPS)
def _group_norm(call: TorchOp) -> ir.Value:
    """Use one op in four dimensions and more; otherwise layer norm of each group, then a scale and a shift."""
    return _by_group(call, call.integer(1), (call.optional(2), call.optional(3)), float(call.number(4)))


@CONVERSIONS("native_group_norm", to=f"{_GROUPS} {_STATISTICS}")
def _native_group_norm(call: TorchOp) -> list[ir.Value]:
    """Use one op in four dimensions and more, with statistics for the backward pass if used."""
    groups, epsilon = call.integer(6), float(call.number(7))
    normal = _by_group(call, groups, (call.optional(1), call.optional(2)), epsilon)
    shape = (call.result.shape[0], groups, call.result.size // call.result.shape[0] // groups)
    return [normal, *_statistics(call, reshape_to(call.tensor(0), shape), (2,), epsilon)]


@CONVERSIONS("native_layer_norm", to=f"layer_norm {_STATISTICS}")
def _native_layer_norm(call: TorchOp) -> list[ir.Value]:
    """Normalize over trailing dimensions, with statistics for the backward pass if used."""
    last = tuple(range(-len(call.integers(1)), 0))
    return [_trailing_norm(call), *_statistics(call, call.tensor(0), last, float(call.number(4)))]


def _statistics(call: TorchOp, x: ir.Value, dims: tuple[int, ...], epsilon: float) -> list[ir.Value]:
    """Return the mean along `dims` and the inverse deviation, the op's second and third result."""
    if not (call.is_used(1) or call.is_used(2)):
        return [x, x]
    mean = ttir.mean(x, keep_dim=True, dim_arg=dims)
    centred = ttir.subtract(x, mean)
    variance = ttir.mean(ttir.multiply(centred, centred), keep_dim=True, dim_arg=dims)
    shifted = elementwise("add", variance, epsilon, result=read_type(variance.type))
    values = zip((mean, ttir.rsqrt(shifted)), call.results[1:], strict=True)
    return [value if t is None else cast(reshape_to(value, t.shape), t.dtype) for value, t in values]


def _trailing_norm(call: TorchOp) -> ir.Value:
    operands = [call.tensor(0), call.optional(2), call.optional(3)]
    return ttir.layer_norm(*operands, normalized_shape=call.integers(1), epsilon=float(call.number(4)))


def _only_the_first(call: TorchOp) -> None:
    if any(call.is_used(i) for i in range(1, len(call.results))):
        call.refuse("is used for more than its first result", OF_MODULES)


def _by_group(call: TorchOp, groups: int, affine: tuple[ir.Value | None, ir.Value | None], epsilon: float) -> ir.Value:
    x, result = call.tensor(0), call.result
    batch, channels, *rest = result.shape
    if result.rank >= 4:
        return ttir.group_norm(x, None, *affine, num_groups=groups, epsilon=epsilon, channel_dim=1)
    width = channels // groups * math.prod(rest)
    grouped = reshape_to(x, (batch, groups, width))
    normal = ttir.layer_norm(grouped, normalized_shape=(width,), epsilon=epsilon)
    return _per_channel(reshape_to(normal, result.shape), *affine, result)


@CONVERSIONS("instance_norm", to="layer_norm reshape multiply add batch_norm_inference")
def _instance_norm(call: TorchOp) -> ir.Value:
    """Apply layer norm, scale and shift to each channel; with running statistics, use batch norm."""
    if not call.flag(5):
        return _with_statistics(call, call.tensor(3), call.tensor(4), epsilon=float(call.number(7)))
    batch, channels, *rest = call.result.shape
    width = math.prod(rest)
    apart = reshape_to(call.tensor(0), (batch, channels, width))
    normal = ttir.layer_norm(apart, normalized_shape=(width,), epsilon=float(call.number(7)))
    return _per_channel(reshape_to(normal, call.result.shape), call.optional(1), call.optional(2), call.result)


@CONVERSIONS("_weight_norm", to="square sum sqrt div multiply")
def _weight_norm(call: TorchOp) -> ir.Value:
    """Multiply the direction of each slice along one dimension by its length."""
    x, at = call.tensor(0), axis(call.integer(2), call.result.rank)
    f = partial(elementwise, result=call.result)
    others = tuple(d for d in range(call.result.rank) if d != at)
    length = ttir.sqrt(ttir.sum(f("square", x), keep_dim=True, dim_arg=others))
    return f("multiply", x, f("div", call.tensor(1), length))


def _per_channel(x: ir.Value, weight: ir.Value | None, bias: ir.Value | None, result: TensorType) -> ir.Value:
    f = partial(elementwise, result=result)
    shape = (1, result.shape[1], *(1,) * (result.rank - 2))
    x = x if weight is None else f("multiply", x, reshape_to(weight, shape))
    return x if bias is None else f("add", x, reshape_to(bias, shape))


def _machine_epsilon(dtype: ElementType) -> float:
    if dtype is DType.BF16:
        return 2.0**-7
    return float(np.finfo(dtype.numpy).eps)
