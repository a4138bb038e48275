"""Convolutions of images with channels first, as in PyTorch, by the op's dimension attributes."""

from collections.abc import Sequence
from typing import Any

from ttstack.dialects.ttir.build import cast, permute_dims, reshape_to, slice_along
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.types import read_type
from ttstack.frontends.torch_to_ttir.pad import pad_around
from ttstack.frontends.torch_to_ttir.table import TorchConversionTable
from ttstack.frontends.torch_to_ttir.torch_op import TorchOp
from ttstack.mlir import ir

CONVERSIONS = TorchConversionTable()

_AXES = {1: ("length",), 2: ("height", "width"), 3: ("depth", "height", "width")}
_FORWARD = "conv1d conv2d conv3d reshape pad slice_static"
_TRANSPOSED = "conv_transpose2d conv3d reverse permute pad slice_static reshape"


@CONVERSIONS("conv1d", "conv2d", "conv3d", to=_FORWARD)
def _conv(call: TorchOp) -> ir.Value:
    """Keep the order of dimensions; add a batch dimension to a single sample."""
    return _forward(call, _symmetric(call, 4), call.integer(6))


@CONVERSIONS("conv1d.padding", "conv2d.padding", "conv3d.padding", to=_FORWARD)
def _conv_by_name(call: TorchOp) -> ir.Value:
    """Keep the order of dimensions; `same` pads more after than before if uneven."""
    rank = _spatial(call)
    total = [0] * rank
    if call.text(4) == "same":
        kernel = read_type(call.tensor(1).type).shape[2:]
        total = [d * (k - 1) for d, k in zip(_sides(call, 5), kernel, strict=True)]
    return _forward(call, [(t // 2, t - t // 2) for t in total], call.integer(6))


@CONVERSIONS("convolution", "_convolution", to=f"{_FORWARD} {_TRANSPOSED}")
def _convolution(call: TorchOp) -> ir.Value:
    """Convolve or transpose, by the operands."""
    if call.flag(6):
        return _transpose(call, extra=7, groups=8, dilation=5)
    return _forward(call, _symmetric(call, 4), call.integer(8))


@CONVERSIONS("conv_transpose1d", "conv_transpose2d.input", "conv_transpose3d.input", to=_TRANSPOSED)
def _conv_transpose(call: TorchOp) -> ir.Value:
    """Keep the order of dimensions; 1-D inputs are images of height 1, volumes are convolved with inserted zeros."""
    return _transpose(call, extra=5, groups=6, dilation=7)


def _forward(call: TorchOp, pads: Sequence[tuple[int, int]], groups: int) -> ir.Value:
    rank, dilations = _spatial(call), _sides(call, 5)
    lows, highs = zip(*pads, strict=True)
    attributes = {"stride": _sides(call, 3), "padding": lows if lows == highs else lows + highs, "groups": groups}
    weight = call.tensor(1)
    if rank < 3:
        attributes["dilation"] = dilations
    else:
        weight = spread(weight, dilations)
    return _call(call, f"conv{rank}d", (call.tensor(0), weight), rank, attributes)


def _transpose(call: TorchOp, *, extra: int, groups: int, dilation: int) -> ir.Value:
    """Transpose, with operands `extra`, `groups` and `dilation` at the given positions."""
    rank = _spatial(call)
    if rank == 3:
        return _transpose_volume(call, extra=extra, groups=groups, dilation=dilation)
    line = (0,) * (2 - rank)
    attributes = {
        "stride": (1,) * len(line) + _sides(call, 3),
        "padding": line + _sides(call, 4),
        "output_padding": line + _sides(call, extra),
        "dilation": (1,) * len(line) + _sides(call, dilation),
        "groups": call.integer(groups),
    }
    channels, each, *kernel = read_type(call.tensor(1).type).shape
    weight = reshape_to(call.tensor(1), (channels, each, *(1,) * len(line), *kernel))
    return _call(call, "conv_transpose2d", (call.tensor(0), weight), 2, attributes)


def _transpose_volume(call: TorchOp, *, extra: int, groups: int, dilation: int) -> ir.Value:
    """Convolve the input with inserted zeros in steps of 1 with the reversed filters."""
    weight, parts = call.tensor(1), call.integer(groups)
    channels, each, *kernel = read_type(weight.type).shape
    turned = reshape_to(ttir.reverse(weight, dimensions=(2, 3, 4)), (parts, channels // parts, each, *kernel))
    filters = reshape_to(permute_dims(turned, (0, 2, 1, 3, 4, 5)), (parts * each, channels // parts, *kernel))
    amounts = list[int]()
    for step, k, pad, more in zip(*(_sides(call, dilation), kernel, _sides(call, 4), _sides(call, extra)), strict=True):
        low = step * (k - 1) - pad
        amounts = [low, low + more, *amounts]
    whole = pad_around(spread(call.tensor(0), _sides(call, 3)), amounts, 0.0)
    attributes = {"stride": (1, 1, 1), "padding": (0, 0, 0), "groups": parts}
    return _call(call, "conv3d", (whole, spread(filters, _sides(call, dilation))), 3, attributes)


def _call(
    call: TorchOp, mnemonic: str, operands: tuple[ir.Value, ir.Value], rank: int, attributes: dict[str, Any]
) -> ir.Value:
    image, weight = operands
    shape, spatial, dtype = read_type(image.type).shape, _spatial(call), call.result.dtype
    batch, channels = shape[:-spatial][-2:] if len(shape) == spatial + 2 else (1, shape[0])
    x = reshape_to(image, (batch, channels, *(1,) * (rank - spatial), *shape[-spatial:]))
    bias = call.optional(2)
    if bias is not None:
        bias = reshape_to(bias, (*(1,) * (rank + 1), read_type(bias.type).size))
    places = {f"{name}_dim": 2 + i for i, name in enumerate(_AXES[rank])}
    values = [v if v is None else cast(v, dtype) for v in (x, weight, bias)]
    return reshape_to(ttir.build(mnemonic, *values, channel_dim=1, **places, **attributes), call.result.shape)


def spread(x: ir.Value, steps: Sequence[int]) -> ir.Value:
    """Insert zeros along the last dimensions, so that elements are `steps` apart."""
    for i, step in enumerate(steps):
        shape = read_type(x.type).shape
        dim = len(shape) - len(steps) + i
        if step > 1:
            apart = reshape_to(x, (*shape[: dim + 1], 1, *shape[dim + 1 :]))
            amounts = [0, 0] * (len(shape) - dim - 1) + [0, step - 1]
            filled = reshape_to(pad_around(apart, amounts, 0.0), (*shape[:dim], shape[dim] * step, *shape[dim + 1 :]))
            x = slice_along(filled, dim, 0, (shape[dim] - 1) * step + 1)
    return x


def _spatial(call: TorchOp) -> int:
    return read_type(call.tensor(1).type).rank - 2


def _sides(call: TorchOp, i: int) -> tuple[int, ...]:
    return call.sides(i, _spatial(call))


def _symmetric(call: TorchOp, i: int) -> list[tuple[int, int]]:
    return [(p, p) for p in _sides(call, i)]
