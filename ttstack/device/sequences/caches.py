"""Writes into caches of keys and values."""

from dataclasses import replace

from ttstack.device.sequences.sequence import CallSequence, CallWriter, calls_of
from ttstack.device.sequences.users import in_shards
from ttstack.ops.indexing import SliceStatic
from ttstack.ops.shape import Repeat
from ttstack.ops.types import DType


@calls_of("fill_cache")
def fill_cache(s: CallWriter) -> CallSequence | None:
    """Write the first rows of each user, one at a time, in the format of the cache."""
    users, *rest = s.op.input.shape
    rows = s.cast(1, s.layout(0).dtype)
    if users == 1:
        s.itself(s.op, 0, rows)
        return s.end()
    for user in range(users):
        begins, ends = (user, *[0] * len(rest)), (user + 1, *rest)
        own = s.call(SliceStatic(input=s.op.input, begins=begins, ends=ends, step=(1,) * 4), rows)
        s.itself(replace(s.op, input=s.type(own), batch_offset=s.op.batch_offset + user), 0, own)
    return s.end()


@calls_of("update_cache")
def update_cache(s: CallWriter) -> CallSequence | None:
    """Write one row per user, sharded by user, at positions from a tensor."""
    apart = s.op.users == s.op.input.shape[0]
    rows, positions = s.permute(_plain(s), [2, 0, 1, 3] if apart else [0, 2, 1, 3]), _positions(s)
    if s.op.update_index.size != s.op.users:
        positions = s.call(Repeat(input=s.type(positions), repeat_dimensions=(s.op.users,)), positions)
    s.itself(s.op, 0, in_shards(s, rows), positions)
    return s.end()


@calls_of("paged_update_cache")
def paged_update_cache(s: CallWriter) -> CallSequence | None:
    """Write one row per user, at positions from signed tensors."""
    plain = _plain(s)
    rows = plain if s.layout(plain).sharded else in_shards(s, plain)
    s.itself(s.op, 0, rows, _positions(s), *(s.cast(i, DType.SI32) for i in range(3, len(s.op.operands))))
    return s.end()


@calls_of("paged_fill_cache")
def paged_fill_cache(s: CallWriter) -> CallSequence | None:
    """Write the first rows of a user, for the cache's heads, to pages of a signed table."""
    users, heads, *rest = s.op.input.shape
    own, cache_heads = 1, s.op.cache.shape[1]
    if heads > cache_heads:
        own = s.call(SliceStatic(input=s.op.input, begins=(0,) * 4, ends=(users, cache_heads, *rest), step=(1,) * 4), 1)
    s.itself(replace(s.op, input=s.type(own)), 0, own, s.cast(2, DType.SI32), *range(3, len(s.op.operands)))
    return s.end()


def _plain(s: CallWriter) -> int:
    """Return the written rows in a format without blocks."""
    return s.cast(1, DType.BF16) if s.layout(1).dtype.is_block else 1


def _positions(s: CallWriter) -> int:
    """Return signed numbers."""
    return s.cast(2, DType.SI32)
