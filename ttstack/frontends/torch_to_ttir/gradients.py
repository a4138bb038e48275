"""Gradients of convolutions, which TTIR does not have, as other convolutions and matmuls."""

import math
from collections.abc import Sequence

import numpy as np

from ttstack.dialects.ttir.build import concat_along, permute_dims, reshape_to
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.types import read_type
from ttstack.frontends.torch_to_ttir.pad import pad_around
from ttstack.frontends.torch_to_ttir.table import TorchConversionTable
from ttstack.frontends.torch_to_ttir.torch_op import TorchOp
from ttstack.mlir import ir

CONVERSIONS = TorchConversionTable()


@CONVERSIONS("convolution_backward", to="conv_transpose2d sum matmul pad slice_static concat permute reshape")
def _convolution_backward(call: TorchOp) -> list[ir.Value]:
    """Compute the image's by the transposed convolution, the weight's by a matmul, the bias's by a sum."""
    gradient, image = call.tensor(0), call.tensor(1)
    t = read_type(image.type)
    if call.flag(7) or t.rank not in (3, 4):
        call.refuse("is of a transposed convolution or of volumes", "convolutions of lines and images are supported")
    needs = [call.is_used(i) for i in range(3)]
    others = (0, *range(2, t.rank))
    return [
        _of_image(call) if needs[0] else gradient,
        _of_weight(call) if needs[1] else gradient,
        ttir.sum(gradient, keep_dim=False, dim_arg=others) if needs[2] else gradient,
    ]


def _of_image(call: TorchOp) -> ir.Value:
    image = read_type(call.tensor(1).type)
    weight, out = call.tensor(2), read_type(call.tensor(0).type)
    kernel = _plane(read_type(weight.type).shape[2:], 1)
    stride, padding, dilation = (_plane(_sides(call, i), neutral) for i, neutral in ((4, 1), (5, 0), (6, 1)))
    sizes, counts = _plane(image.shape[2:], 1), _plane(out.shape[2:], 1)
    reached = [
        (count - 1) * step - 2 * pad + apart * (k - 1) + 1
        for count, step, pad, apart, k in zip(counts, stride, padding, dilation, kernel, strict=True)
    ]
    found = ttir.conv_transpose2d(
        reshape_to(call.tensor(0), (*out.shape[:2], *counts)),
        reshape_to(weight, (*read_type(weight.type).shape[:2], *kernel)),
        None,
        stride=stride,
        padding=padding,
        dilation=dilation,
        output_padding=tuple(size - end for size, end in zip(sizes, reached, strict=True)),
        groups=call.integer(9),
        channel_dim=1,
        height_dim=2,
        width_dim=3,
    )
    return reshape_to(found, image.shape)


def _of_weight(call: TorchOp) -> ir.Value:
    """Return the gradient's filters times the inputs of each kernel element, summed over all result positions."""
    weight, out, groups = read_type(call.tensor(2).type), read_type(call.tensor(0).type), call.integer(9)
    kernel, counts = _plane(weight.shape[2:], 1), _plane(out.shape[2:], 1)
    taps, each, filters = math.prod(kernel), weight.shape[1], weight.shape[0] // groups
    rows = out.shape[0] * math.prod(counts)
    seen = reshape_to(_seen(call, kernel, counts), (rows, taps, groups, each))
    columns = reshape_to(permute_dims(seen, (2, 0, 1, 3)), (groups, rows, taps * each))
    last = permute_dims(reshape_to(call.tensor(0), (*out.shape[:2], *counts)), (0, 2, 3, 1))
    given = permute_dims(reshape_to(last, (rows, groups, filters)), (1, 0, 2))
    product = ttir.matmul(given, columns, transpose_a=True)
    return reshape_to(permute_dims(reshape_to(product, (weight.shape[0], taps, each)), (0, 2, 1)), weight.shape)


def _seen(call: TorchOp, kernel: Sequence[int], counts: Sequence[int]) -> ir.Value:
    """Return for every result position the input of each kernel element: strided slices of the image."""
    shape = read_type(call.tensor(1).type).shape
    stride, padding, dilation = (_plane(_sides(call, i), neutral) for i, neutral in ((4, 1), (5, 0), (6, 1)))
    around = [0, 0, *(p for pad in reversed(padding) for p in (pad, pad))]
    last = permute_dims(reshape_to(call.tensor(1), (*shape[:2], *_plane(shape[2:], 1))), (0, 2, 3, 1))
    padded = pad_around(last, around, 0.0)
    batch, _, _, channels = read_type(padded.type).shape
    parts = list[ir.Value]()
    for place in np.ndindex(*kernel):
        begins = [at * apart for at, apart in zip(place, dilation, strict=True)]
        ends = [low + (count - 1) * step + 1 for low, count, step in zip(begins, counts, stride, strict=True)]
        bounds = {"begins": (0, *begins, 0), "ends": (batch, *ends, channels), "step": (1, *stride, 1)}
        parts.append(ttir.slice_static(padded, **bounds))
    return concat_along(parts, 3)


def _sides(call: TorchOp, i: int) -> tuple[int, ...]:
    return call.sides(i, read_type(call.tensor(1).type).rank - 2)


def _plane(sides: Sequence[int], neutral: int) -> tuple[int, ...]:
    """Return numbers for height and width; 1-D inputs have height 1."""
    return (neutral,) * (2 - len(sides)) + tuple(sides)
