"""Heads between columns and a separate dimension: kernels move whole tiles."""

from dataclasses import replace

from ttstack.device.circular_buffers.heads import join_bytes
from ttstack.device.layout import Layout, MemoryLayout, MemorySpace
from ttstack.device.sequences.formats import compute_format
from ttstack.device.sequences.indexing import CUT
from ttstack.device.sequences.sequence import CallSequence, CallWriter, calls_of
from ttstack.device.sequences.users import in_shards, user_grid
from ttstack.ops.attention import ConcatenateHeads
from ttstack.ops.generic import ToLayout
from ttstack.ops.indexing import SliceStatic
from ttstack.ops.shape import Concat
from ttstack.ops.types import TILE, DType


@calls_of("split_heads")
def split_heads(s: CallWriter) -> CallSequence | None:
    """Split as queries without keys if heads are whole tiles, otherwise by a reshape and a permutation."""
    batch, heads, rows, width = s.op.results[0].shape
    if width % TILE == 0:
        return None
    apart = s.reshape(0, [batch, rows, heads, width])
    return s.end(s.permute(apart, [0, 2, 1, 3], to=s.wanted))


@calls_of("concatenate_heads")
def concatenate_heads(s: CallWriter) -> CallSequence | None:
    """Concatenate heads of whole tiles, otherwise by a permutation and a reshape."""
    if s.op.input.shape[-1] % TILE == 0:
        return None if s.layout(0).sharded else _join_in_parts(s)
    rows_first = s.permute(0, [0, 2, 1, 3])
    return s.end(s.reshape(rows_first, s.op.results[0].shape, to=s.wanted))


def _join_in_parts(s: CallWriter) -> CallSequence | None:
    """Concatenate as many heads at a time as fit, as the buffers hold a row of tiles of all; None for all."""
    batch, heads, rows, width = s.op.input.shape
    dtype = s.layout(0).dtype
    one = join_bytes(ConcatenateHeads(input=s.op.input.with_shape((batch, 1, rows, width))), dtype)
    if heads * one <= s.l1_bytes or one > s.l1_bytes:
        return None
    part_layout, at_once = replace(s.wanted, dtype=dtype).interleave(MemorySpace.DRAM), s.l1_bytes // one
    parts: list[int] = []
    for first in range(0, heads, at_once):
        begins, ends = (0, first, 0, 0), (batch, min(first + at_once, heads), rows, width)
        part = s.call(SliceStatic(input=s.type(0), begins=begins, ends=ends, step=(1, 1, 1, 1)), 0)
        parts.append(s.call(ConcatenateHeads(input=s.type(part)), part, to=part_layout))
    return s.end(s.call(Concat(inputs=tuple(s.type(part) for part in parts), dim=2), *parts, to=s.wanted))


@calls_of("split_query_key_value_and_split_heads")
def split_all_heads(s: CallWriter) -> CallSequence | None:
    """Split queries, keys and values from one tensor or two equal ones; slice them otherwise, or within tiles."""
    both = s.op.kv_input_tensor
    apart = both is not None and both.shape[1] != s.op.input_tensor.shape[1]
    return _by_slices(s) if apart or s.op.results[0].shape[-1] % TILE else None


def _by_slices(s: CallWriter) -> CallSequence | None:
    """Slice the columns of each, and add a dimension for its heads."""
    batch, heads, _, width = s.op.results[0].shape
    kv_heads, cut_dtype = s.op.results[1].shape[1], compute_format(CUT, s.layout(0).dtype)
    sources = [s.cast(i, cut_dtype) for i in range(len(s.op.operands))]
    begins = [0, 0, kv_heads * width] if len(sources) > 1 else [0, heads * width, (heads + kv_heads) * width]
    orders = [0, 2, 1, 3], [0, 2, 3, 1] if s.op.transpose_key else [0, 2, 1, 3], [0, 2, 1, 3]
    parts: list[int] = []
    for i, (count, begin, order) in enumerate(zip((heads, kv_heads, kv_heads), begins, orders, strict=True)):
        source, wanted = sources[min(i, len(sources) - 1)], s.whole.results[i]
        rows = s.type(source).shape[1]
        ends = (batch, rows, begin + count * width)
        cut = s.call(SliceStatic(input=s.type(source), begins=(0, 0, begin), ends=ends, step=(1, 1, 1)), source)
        apart = s.reshape(cut, [batch, rows, count, width])
        transposed = s.permute(apart, order, to=replace(wanted, dtype=cut_dtype))
        parts.append(s.cast(transposed, wanted.dtype, to=wanted))
    return s.end(*parts)


@calls_of("split_query_key_value_decode")
def split_users(s: CallWriter) -> CallSequence | None:
    """Split queries, keys and values into shards by user, then interleave them."""
    shard_dtype = DType.BF16 if s.layout(0).dtype.is_block else s.layout(0).dtype
    x, users, wanted = s.cast(0, shard_dtype), s.op.results[0].shape[1], s.whole.results
    shards = Layout(shard_dtype, True, MemorySpace.L1, MemoryLayout.HEIGHT_SHARDED, user_grid(users))
    first = s.itself(s.op, x, to=[shards] * len(wanted))
    return s.end(*(_paged(s, first + i, result_layout) for i, result_layout in enumerate(wanted)))


@calls_of("concatenate_heads_decode")
def join_users(s: CallWriter) -> CallSequence | None:
    """Convert shards by user to shards by head, then interleave them, if both fill rectangles; otherwise reshape."""
    _, users, heads, width = s.op.input.shape
    if users != TILE or not 0 < heads <= TILE or width % TILE:
        return s.end(s.reshape(0, s.op.results[0].shape, to=s.wanted))
    shard_dtype = DType.BF16 if s.layout(0).dtype.is_block else s.layout(0).dtype
    x = in_shards(s, s.cast(0, shard_dtype))
    shards = Layout(shard_dtype, True, MemorySpace.L1, MemoryLayout.WIDTH_SHARDED, user_grid(heads))
    return s.end(_paged(s, s.itself(s.op, x, to=[shards]), s.wanted))


def _paged(s: CallWriter, value: int, wanted: Layout) -> int:
    """Interleave a sharded result in its own format, unless shards are requested."""
    page_layout = replace(wanted, dtype=s.layout(value).dtype)
    paged = value if page_layout == s.layout(value) else s.call(ToLayout(input=s.type(value)), value, to=page_layout)
    return s.cast(paged, wanted.dtype, to=wanted)
