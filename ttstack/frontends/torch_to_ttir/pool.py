"""Pools: TTIR's have channels last, so images are permuted before and after."""

import math
from collections.abc import Sequence
from typing import Any

from ttstack.dialects.base import create
from ttstack.dialects.ttir.build import concat_along, elementwise, permute_dims, reshape_to, slice_along
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.types import read_type
from ttstack.frontends.torch_to_ttir.filters import along, averages
from ttstack.frontends.torch_to_ttir.table import TorchConversionTable
from ttstack.frontends.torch_to_ttir.torch_op import TorchOp
from ttstack.frontends.torch_to_ttir.window_places import PLACES, extremes_and_places
from ttstack.mlir import ir
from ttstack.ops.types import DType

CONVERSIONS = TorchConversionTable()

_AROUND = "permute reshape"
_INDICES = "max_pool2d_with_indices"


@CONVERSIONS("max_pool1d", "max_pool2d", to=f"max_pool2d {_AROUND}")
def _max_pool(call: TorchOp) -> ir.Value:
    """Permute to channels last and back; 1-D inputs are images of height 1."""
    pooled = ttir.max_pool2d(_channels_last(call), **_max_window(call))
    return _channels_first(pooled, call.result.shape)


@CONVERSIONS("max_pool2d_with_indices", to=f"{_INDICES} {_AROUND}")
def _max_pool_with_indices(call: TorchOp) -> list[ir.Value]:
    """Permute to channels last and back, positions too."""
    return _with_indices(call, _max_window(call))


@CONVERSIONS("avg_pool1d", "avg_pool2d", to=f"avg_pool2d multiply {_AROUND}")
def _avg_pool(call: TorchOp) -> ir.Value:
    """Permute to channels last and back; 1-D inputs are images of height 1."""
    attributes = _window(call, ceil_mode=4)
    own = divisor(call, attributes["kernel"])
    padded = own is not None or call.flag(5)
    pooled = ttir.avg_pool2d(_channels_last(call), **attributes, dilation=(1, 1), count_include_pad=padded)
    pooled = _channels_first(pooled, call.result.shape)
    return pooled if own is None else elementwise("multiply", pooled, own, result=call.result)


def divisor(call: TorchOp, kernel: Sequence[int]) -> float | None:
    """Return the factor from the mean of a full window to the op's divisor; None if it has none."""
    if call.is_none(6):
        return None
    if call.flag(4):
        call.refuse("has a divisor of its own and windows that overhang", "use ceil_mode=False")
    return math.prod(kernel) / call.integer(6)


@CONVERSIONS(
    "adaptive_avg_pool1d",
    "adaptive_avg_pool2d",
    "_adaptive_avg_pool2d",
    to=f"mean avg_pool2d matmul constant {_AROUND}",
)
def _adaptive_avg_pool(call: TorchOp) -> ir.Value:
    """Use a mean for a single result, a pool if sizes divide, otherwise a matmul that averages along each axis."""
    x, rank = call.tensor(0), _spatial(call)
    sizes, counts = read_type(x.type).shape[-rank:], call.result.shape[-rank:]
    if set(counts) == {1}:
        return ttir.mean(x, keep_dim=True, dim_arg=tuple(range(-rank, 0)))
    if not any(size % count for size, count in zip(sizes, counts, strict=True)):
        pooled = ttir.avg_pool2d(_channels_last(call), **_even_window(sizes, counts))
        return _channels_first(pooled, call.result.shape)
    for i, (size, count) in enumerate(zip(sizes, counts, strict=True)):
        if size != count:
            x = along(x, call.result.rank - rank + i, averages(size, count))
    return x


@CONVERSIONS("adaptive_max_pool1d", "adaptive_max_pool2d", to=f"{_INDICES} {PLACES} {_AROUND}")
def _adaptive_max_pool(call: TorchOp) -> list[ir.Value]:
    """Use a pool if sizes divide, otherwise maxima of parts along each axis."""
    rank = _spatial(call)
    sizes, counts = read_type(call.tensor(0).type).shape[-rank:], call.result.shape[-rank:]
    if any(size % count for size, count in zip(sizes, counts, strict=True)):
        return extremes(call, rank)
    return _with_indices(call, _even_window(sizes, counts))


def extremes(call: TorchOp, rank: int) -> list[ir.Value]:
    """Return maxima of parts along each of the last axes, which overlap if sizes do not divide; positions if used."""
    x = call.tensor(0)
    bounds_of = {dim: _parts(read_type(x.type).shape[dim], call.result.shape[dim]) for dim in _last(call, rank)}
    if call.is_used(1):
        windows = {dim: [(begin, end, 1) for begin, end in bounds] for dim, bounds in bounds_of.items()}
        return list(extremes_and_places(x, windows))
    for dim, bounds in bounds_of.items():
        parts = [slice_along(x, dim, begin, end) for begin, end in bounds]
        x = concat_along([ttir.max(part, keep_dim=True, dim_arg=(dim,)) for part in parts], dim)
    return [x] * len(call.results)


def _last(call: TorchOp, rank: int) -> range:
    """Return the last `rank` dimensions."""
    return range(call.result.rank - rank, call.result.rank)


def _parts(size: int, count: int) -> list[tuple[int, int]]:
    """Return the bounds of parts that cover everything, and overlap if their number does not divide the size."""
    return [(i * size // count, -(-(i + 1) * size // count)) for i in range(count)]


def _with_indices(call: TorchOp, attributes: dict[str, Any]) -> list[ir.Value]:
    x, result = _channels_last(call), call.result
    places = result.with_dtype(DType.I64)
    found = create("ttir", _INDICES, [x], attributes, results=[result, places]).results
    return [_channels_first(value, result.shape) for value in found]


def _max_window(call: TorchOp) -> dict[str, Any]:
    rank = _spatial(call)
    dilation = call.sides(4, rank) or (1,) * rank
    return {**_window(call, ceil_mode=5), "dilation": _on_image(dilation, 1)}


def _window(call: TorchOp, *, ceil_mode: int) -> dict[str, Any]:
    """Return kernel, stride and padding for images; the default stride is the kernel."""
    rank = _spatial(call)
    kernel, padding = (call.sides(i, rank) for i in (1, 3))
    stride = call.sides(2, rank) or kernel
    if call.flag(ceil_mode):  # a window that is larger than the image sees what there is
        sizes = read_type(call.tensor(0).type).shape[-rank:]
        kernel = tuple(min(k, size + 2 * p) for k, size, p in zip(kernel, sizes, padding, strict=True))
    sides = {"kernel": _on_image(kernel, 1), "stride": _on_image(stride, 1), "padding": _on_image(padding, 0)}
    return {**sides, "ceil_mode": call.flag(ceil_mode)}


def _even_window(sizes: Sequence[int], counts: Sequence[int]) -> dict[str, Any]:
    """Return adjacent windows that cover everything."""
    kernel = _on_image([size // count for size, count in zip(sizes, counts, strict=True)], 1)
    return {"kernel": kernel, "stride": kernel, "padding": (0, 0), "dilation": (1, 1), "ceil_mode": False}


def _on_image(sides: Sequence[int], neutral: int) -> tuple[int, ...]:
    """Return numbers for height and width; 1-D inputs have height 1."""
    return (neutral,) * (2 - len(sides)) + tuple(sides)


def _spatial(call: TorchOp) -> int:
    return 1 if "1d" in call.name else 2


def _channels_last(call: TorchOp) -> ir.Value:
    """Return the first operand as images [N, H, W, C]."""
    x, rank = call.tensor(0), _spatial(call)
    shape = read_type(x.type).shape
    batch = shape[: -rank - 1] or (1,)
    return permute_dims(reshape_to(x, (*batch, shape[-rank - 1], *_on_image(shape[-rank:], 1))), (0, 2, 3, 1))


def _channels_first(images: ir.Value, shape: Sequence[int]) -> ir.Value:
    return reshape_to(permute_dims(images, (0, 3, 1, 2)), shape)
