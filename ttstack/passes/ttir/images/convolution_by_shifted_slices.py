"""Depthwise convolutions along a length as sums of shifted slices with a weight per channel."""

from functools import reduce

from ttstack.dialects.ttir import views
from ttstack.dialects.ttir.build import concat_along, reshape_to, slice_along, splat
from ttstack.dialects.ttir.builders import ttir
from ttstack.mlir import ir
from ttstack.ops.types import TILE
from ttstack.passes.rewriting.candidates import Declined
from ttstack.passes.rewriting.rewrite import rewrite
from ttstack.passes.stages import Stage
from ttstack.passes.ttir.images.split_grouped_convolution import split_grouped_convolution
from ttstack.passes.ttir.queries.compile_time import is_known

_MOST_TAPS = 8
"""Larger kernels are left to the library."""
_CHANNELS_LAST = (0, 1, 2)


@rewrite(
    "convolution-by-shifted-slices",
    if_faster=True,
    then=[split_grouped_convolution],
    stage=Stage.IMAGES,
    after={"channels-last": "it needs channels last"},
)
def convolution_by_shifted_slices(op: views.Conv1d) -> ir.Value | Declined | None:
    """Depthwise `conv1d(x, w)` = sum over taps of `x[tap : tap + length] * w[tap]`.

    The library would multiply matrices of windows, padded with zeros for all other channels.
    """
    conv = op.described
    if not conv.groups == conv.channels == conv.out_channels or conv.order != _CHANNELS_LAST or conv.activation:
        return None
    if conv.weight.shape[2] > _MOST_TAPS:
        return Declined(f"the convolution has more than {_MOST_TAPS} taps")
    if not is_known(op.weight):
        return Declined("the weight is computed in the program")
    (window,), (batch, _, channels) = conv.windows, conv.input.shape
    low, high = (-(-rows // TILE) * TILE for rows in (window.low, window.high))  # x stays in its tiles
    zeros = [splat(0, conv.input.with_shape((batch, rows, channels))) if rows else None for rows in (low, high)]
    padded = concat_along([part for part in (zeros[0], op.input, zeros[1]) if part is not None], dim=1)
    products = list[ir.Value]()
    for tap in range(window.kernel):
        begin = low - window.low + tap * window.dilation
        part = slice_along(padded, 1, begin, begin + (window.count - 1) * window.stride + 1, window.stride)
        weight = reshape_to(slice_along(op.weight, 2, tap, tap + 1), (1, 1, channels))
        products.append(ttir.multiply(part, weight))
    total = reduce(ttir.add, products)
    return total if op.bias is None else ttir.add(total, reshape_to(op.bias, (1, 1, channels)))
