"""Pools of volumes: of every slice as an image, then along the depth."""

from typing import Any

from ttstack.dialects.ttir.build import elementwise, permute_dims, reshape_to
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.types import read_type
from ttstack.frontends.torch_to_ttir.filters import along, averages
from ttstack.frontends.torch_to_ttir.pool import divisor, extremes
from ttstack.frontends.torch_to_ttir.table import TorchConversionTable
from ttstack.frontends.torch_to_ttir.torch_op import TorchOp
from ttstack.frontends.torch_to_ttir.window_places import PLACES, Window, extremes_and_places, sliding_windows
from ttstack.mlir import ir
from ttstack.ops.windows import per_axis

CONVERSIONS = TorchConversionTable()

_AROUND = "permute reshape"


@CONVERSIONS("max_pool3d", to=f"max_pool2d {_AROUND}")
def _max_pool(call: TorchOp) -> ir.Value:
    """Pool slices, then along the depth."""
    return _extremes(call)


@CONVERSIONS("max_pool3d_with_indices", to=f"max_pool2d {PLACES} {_AROUND}")
def _max_pool_with_indices(call: TorchOp) -> list[ir.Value]:
    """Pool slices, then along the depth; with positions, each window along one dimension after another."""
    if call.is_used(1):
        return list(extremes_and_places(call.tensor(0), _windows(call)))
    return [_extremes(call)] * len(call.results)


def _windows(call: TorchOp) -> dict[int, list[Window]]:
    """Return the windows along depth, height and width."""
    kernel, padding = _sides(call, 1, ()), _sides(call, 3, (0, 0, 0))
    sides = (kernel, _sides(call, 2, kernel), padding, _sides(call, 4, (1, 1, 1)))
    shape, rank = read_type(call.tensor(0).type).shape, call.result.rank
    return {
        dim: sliding_windows(shape[dim], call.result.shape[dim], *(side[i] for side in sides))
        for i, dim in enumerate(range(rank - 3, rank))
    }


def _extremes(call: TorchOp) -> ir.Value:
    return _pool(call, "max_pool2d", dilation=_sides(call, 4, (1, 1, 1)), ceil_mode=call.flag(5))


@CONVERSIONS("avg_pool3d", to=f"avg_pool2d multiply {_AROUND}")
def _avg_pool(call: TorchOp) -> ir.Value:
    """Average slices, then along the depth."""
    own = divisor(call, _sides(call, 1, ()))
    attributes = {"ceil_mode": call.flag(4), "count_include_pad": own is not None or call.flag(5)}
    pooled = _pool(call, "avg_pool2d", dilation=(1, 1, 1), **attributes)
    return pooled if own is None else elementwise("multiply", pooled, own, result=call.result)


def _pool(call: TorchOp, mnemonic: str, *, dilation: tuple[int, ...], **attributes: Any) -> ir.Value:
    kernel, padding = _sides(call, 1, ()), _sides(call, 3, (0, 0, 0))
    stride = _sides(call, 2, kernel)
    sides = {"kernel": kernel, "stride": stride, "padding": padding, "dilation": dilation}
    x = call.tensor(0)
    depth, height, width = read_type(x.type).shape[-3:]
    count = read_type(x.type).size // max(depth * height * width, 1)
    *_, height_out, width_out = call.result.shape
    image = {name: sizes[1:] for name, sizes in sides.items()}
    x = pool_images(x, (count * depth, height, width), mnemonic, {**image, **attributes})
    line = {name: (sizes[0], 0 if name == "padding" else 1) for name, sizes in sides.items()}
    x = pool_images(x, (count, depth, height_out * width_out), mnemonic, {**line, **attributes})
    return reshape_to(x, call.result.shape)


def pool_images(x: ir.Value, shape: tuple[int, int, int], mnemonic: str, attributes: dict[str, Any]) -> ir.Value:
    """Pool images [channels, height, width], permuted to channels last."""
    last = permute_dims(reshape_to(x, (1, *shape)), (0, 2, 3, 1))
    return permute_dims(ttir.build(mnemonic, last, **attributes), (0, 3, 1, 2))


def _sides(call: TorchOp, i: int, default: tuple[int, ...]) -> tuple[int, ...]:
    return per_axis(f"operand {i}", call.integers(i) or default, 3)


@CONVERSIONS("_adaptive_avg_pool3d", to=f"mean matmul constant {_AROUND}")
def _adaptive_avg_pool(call: TorchOp) -> ir.Value:
    """Use a mean for a single result, otherwise a matmul that averages along each axis."""
    x, rank = call.tensor(0), call.result.rank
    if set(call.result.shape[-3:]) == {1}:
        return ttir.mean(x, keep_dim=True, dim_arg=(-3, -2, -1))
    for dim in range(rank - 3, rank):
        size, count = read_type(x.type).shape[dim], call.result.shape[dim]
        x = x if size == count else along(x, dim, averages(size, count))
    return x


@CONVERSIONS("adaptive_max_pool3d", to=PLACES)
def _adaptive_max_pool(call: TorchOp) -> list[ir.Value]:
    """Compute maxima of parts along each axis."""
    return extremes(call, 3)
