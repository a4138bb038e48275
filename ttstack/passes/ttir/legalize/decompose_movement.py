"""Decomposition of data movement: positive steps, nonnegative padding, and plain moves for patterns and windows."""

from ttstack.dialects.base import definition_of
from ttstack.dialects.ttir.build import permute_dims, reshape_to, slice_along
from ttstack.dialects.ttir.builders import ttir
from ttstack.mlir import ir
from ttstack.ops.attention import SplitQueryKeyValueDecode
from ttstack.ops.einops import rearrangement
from ttstack.ops.indexing import GetDimensionSize, Index, IndexSelect, SliceStatic, steps
from ttstack.ops.shape import Pad, Rearrange
from ttstack.ops.types import TILE
from ttstack.passes.rewriting.pattern import Pattern
from ttstack.passes.ttir.queries.fill import fill


def _dimension_size(op: ir.Operation) -> list[ir.Value]:
    asked = definition_of(op)
    assert isinstance(asked, GetDimensionSize)
    size = asked.operand.shape[asked.dimension]
    return [ttir.full(result=asked.type, shape=asked.type.shape, fill_value=size)]


def _slice(op: ir.Operation) -> list[ir.Value] | None:
    """Slice with positive steps, and reverse the dimensions whose step is negative."""
    cut = definition_of(op)
    assert isinstance(cut, SliceStatic)
    reversed_dims = tuple(d for d, step in enumerate(cut.step) if step < 0)
    if not reversed_dims:
        return None
    bounds = zip(cut.input.shape, cut.begins, cut.ends, cut.step, strict=True)
    begins, ends, sizes = zip(*(_upwards(*bound, d) for d, bound in enumerate(bounds)), strict=True)
    part = ttir.slice_static(op.operands[0], begins=begins, ends=ends, step=sizes)
    return [ttir.reverse(part, dimensions=reversed_dims)]


def _index(op: ir.Operation) -> list[ir.Value] | None:
    index = definition_of(op)
    assert isinstance(index, Index)
    if index.step > 0:
        return None
    dim = index.dim % index.input.rank
    begin, end, step = _upwards(index.input.shape[dim], index.begin, index.end, index.step, dim)
    part = ttir.index(op.operands[0], dim=dim, begin=begin, end=end, step=step)
    return [ttir.reverse(part, dimensions=(dim,))]


def _upwards(extent: int, begin: int, end: int, step: int, dim: int) -> tuple[int, int, int]:
    """Return the bounds of the same elements with a positive step."""
    first, count = steps(extent, begin, end, step, dim)
    if count == 0:
        return 0, 0, abs(step)
    low, high = sorted((first, first + (count - 1) * step))
    return low, high + 1, abs(step)


def _pad(op: ir.Operation) -> list[ir.Value] | None:
    """Decompose negative padding to a slice, then to the remaining padding."""
    pad = definition_of(op)
    assert isinstance(pad, Pad)
    if min(pad.padding, default=0) >= 0:
        return None
    extents = pad.input.shape
    cuts = [pad.cut(d) for d in range(len(extents))]
    ends = tuple(extent - high for extent, (_, high) in zip(extents, cuts, strict=True))
    begins = tuple(low for low, _ in cuts)
    part = ttir.slice_static(op.operands[0], begins=begins, ends=ends, step=(1,) * len(extents))
    outwards = tuple(max(p, 0) for p in pad.padding)
    return [ttir.pad(part, padding=outwards, value=pad.value) if any(outwards) else part]


def _rearrange(op: ir.Operation) -> list[ir.Value]:
    """Decompose to a permutation between two reshapes."""
    moved = definition_of(op)
    assert isinstance(moved, Rearrange)
    pattern = rearrangement(moved.pattern, moved.input.shape)
    apart = permute_dims(reshape_to(op.operands[0], pattern.split), pattern.permutation)
    return [reshape_to(apart, pattern.merged)]


def _index_select(op: ir.Operation) -> list[ir.Value] | None:
    """Decompose windows to rows of a separate dimension, cut to their length; the last one is padded before."""
    select = definition_of(op)
    assert isinstance(select, IndexSelect)
    dim, (length, stride) = select.dim % select.input.rank, (select.length, select.stride)
    if stride == 0 or length == 1:
        return None
    lead, rest = select.input.shape[:dim], select.input.shape[dim + 1 :]
    part = slice_along(op.operands[0], dim, select.begin, select.input.shape[dim])
    count = -(-(select.input.shape[dim] - select.begin) // stride)
    rows = reshape_to(fill(part, dim, count * stride), (*lead, count, stride, *rest))
    windows = reshape_to(slice_along(rows, dim + 1, 0, length), (*lead, count * length, *rest))
    return [slice_along(windows, dim, 0, select.results[0].shape[dim])]


def _split_users(op: ir.Operation) -> list[ir.Value] | None:
    """Slice columns of queries, keys and values, and give each a dimension for its heads."""
    split = definition_of(op)
    assert isinstance(split, SplitQueryKeyValueDecode)
    _, users, _, width = split.results[0].shape
    if users <= TILE and width % TILE == 0:
        return None
    parts: list[ir.Value] = []
    begin = 0
    for t in split.results:
        end = begin + t.shape[2] * width
        parts.append(reshape_to(slice_along(op.operands[0], 2, begin, end), t.shape))
        begin = end
    return parts


MOVEMENT: tuple[tuple[str, Pattern], ...] = (
    ("ttir.get_dimension_size", _dimension_size),
    ("ttir.slice_static", _slice),
    ("ttir.index", _index),
    ("ttir.pad", _pad),
    ("ttir.rearrange", _rearrange),
    ("ttir.index_select", _index_select),
    ("ttir.split_query_key_value_decode", _split_users),
)
