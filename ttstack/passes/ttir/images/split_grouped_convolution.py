"""Splits of grouped convolutions into several with fewer channels."""

import math
from collections.abc import Iterator
from functools import partial
from itertools import pairwise
from typing import Any

from ttstack.dialects.ttir import views
from ttstack.dialects.ttir.build import concat_along, slice_along
from ttstack.dialects.ttir.builders import ttir
from ttstack.mlir import ir
from ttstack.ops.conv import Convolution
from ttstack.ops.types import TILE
from ttstack.passes.rewriting.candidates import Candidate, Declined
from ttstack.passes.rewriting.rewrite import rewrite
from ttstack.passes.stages import Stage
from ttstack.passes.ttir.queries.compile_time import is_known

_COUNTS = 2, 4, 8, 16, 32
"""The numbers of convolutions to try."""

Root = views.Conv1d | views.Conv2d | views.Conv3d


@rewrite("split-grouped-convolution", if_faster=True, placed=True, stage=Stage.KERNELS)
def split_grouped_convolution(op: views.Conv1d | views.Conv2d | views.Conv3d) -> Iterator[Candidate] | Declined | None:
    """Grouped `conv2d(x, w)` = `concat(conv2d(x[:, :n], w[:n]), conv2d(x[:, n:], w[n:]), ...)` over channels.

    The library pads the weight with zeros for all pairs of channels, so its work grows with the square of the number of
    channels, and two halves take half the work. Slices begin at whole tiles.
    """
    conv = op.described
    if conv.groups == 1 or conv.order[-1] != len(conv.order) - 1:
        return None
    if not is_known(op.weight):
        return Declined("the weight is computed in the program")
    unit = _groups_of_tiles(conv)
    units = -(-conv.groups // unit)
    if units == 1:
        return Declined("the groups fill one tile")
    sizes = dict.fromkeys(-(-units // count) * unit for count in _COUNTS if count <= units)
    return (partial(_split, op, conv, groups) for groups in sizes)


def _groups_of_tiles(conv: Convolution) -> int:
    """Return the smallest number of groups whose channels fill tiles, of the input and of the result."""
    each = conv.channels // conv.groups, conv.out_channels // conv.groups
    return math.lcm(*(TILE // math.gcd(TILE, channels) for channels in each))


def _split(op: Root, conv: Convolution, groups: int) -> ir.Value:
    """Build convolutions of `groups` groups; the last one may have fewer."""
    inputs, outputs = conv.channels // conv.groups, conv.out_channels // conv.groups
    last = len(conv.order) - 1
    bounds = [*range(0, conv.groups, groups), conv.groups]
    parts = list[ir.Value]()
    for begin, end in pairwise(bounds):
        x = slice_along(op.input, last, begin * inputs, end * inputs)
        weight = slice_along(op.weight, 0, begin * outputs, end * outputs)
        bias = [] if op.bias is None else [slice_along(op.bias, last, begin * outputs, end * outputs)]
        attributes: dict[str, Any] = op.attributes | {"groups": end - begin}
        parts.append(ttir.build(conv.mnemonic, x, weight, *bias, **attributes))
    return concat_along(parts, last)
