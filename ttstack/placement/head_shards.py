"""Sharded layouts of heads, which their kernels support besides pages."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ttstack.device.call_name import call_kind
from ttstack.device.layout import Grid, MemoryLayout
from ttstack.device.sequences.users import user_grid
from ttstack.ops.attention import ConcatenateHeads, ConcatenateHeadsDecode, SplitQueryKeyValueDecode
from ttstack.ops.base import Op
from ttstack.ops.decode import ScaledDotProductAttentionDecode
from ttstack.ops.kv_cache import PagedUpdateCache
from ttstack.ops.rotary import RotaryEmbedding
from ttstack.ops.types import TILE, TensorType

_ATTENTION = ("scaled_dot_product_attention", "block_sparse_attention")
"""Ops on full sequences, whose kernels write pages of any layout."""

_OF_USERS = (
    SplitQueryKeyValueDecode,
    ConcatenateHeadsDecode,
    RotaryEmbedding,
    PagedUpdateCache,
    ScaledDotProductAttentionDecode,
)
"""Ops on one token per user."""

Shards = tuple[MemoryLayout, Grid]


@dataclass(frozen=True)
class HeadShards:
    """Operands and results of an op that are sharded."""

    operands: Mapping[int, Shards]
    """Shards by operand position; other operands are interleaved."""
    results: Shards | None
    """Shards of results; None if interleaved."""
    grid: Grid | None
    """The cores of the op; None for those of the interleaved variant."""


def head_shards(op: Op, device: Grid) -> HeadShards | None:
    """Return the shards of an op on heads; None for other ops, or if there are none."""
    if isinstance(op, _OF_USERS):
        return _of_users(op, device)
    joins = isinstance(op, ConcatenateHeads)
    if not joins and call_kind(op) not in _ATTENTION:
        return None
    grid = head_grid(op.operands[0] if joins else op.results[0], device)
    if grid is None:
        return None
    heads = MemoryLayout.HEIGHT_SHARDED, grid
    return HeadShards({0: heads}, (MemoryLayout.BLOCK_SHARDED, grid), grid) if joins else HeadShards({}, heads, None)


def _of_users(op: Op, device: Grid) -> HeadShards | None:
    """Heads of one token [1, users, heads, width], up to a tile of them for each user, on a core for each."""
    operand = 1 if isinstance(op, PagedUpdateCache) else 0
    heads = op.results[0] if isinstance(op, SplitQueryKeyValueDecode) else op.operands[operand]
    if heads.rank != 4 or heads.shape[0] != 1 or not 1 < heads.shape[1] <= device.cores or heads.shape[2] > TILE:
        return None
    grid = user_grid(heads.shape[1])
    users = MemoryLayout.HEIGHT_SHARDED, grid
    if not grid.fits(device):
        return None
    match op:
        case SplitQueryKeyValueDecode():
            return HeadShards({}, users, grid)
        case RotaryEmbedding():
            return HeadShards(dict.fromkeys(_rotated(op), users), users, grid) if _rotated(op) else None
        case PagedUpdateCache():
            return HeadShards({operand: users}, None, grid)
        case _:
            return HeadShards({operand: users}, None, None)


def _rotated(op: RotaryEmbedding) -> Sequence[int]:
    """Return the operands that the per-user kernels need in shards, with angles if each user has its own."""
    width, tables = op.input.shape[-1], {t.shape for t in op.operands[1:3]}
    if op.interleaved or width % (2 * TILE):
        return ()
    if tables == {(1, 1, 1, width)}:
        return (0,)
    return (0, 1, 2) if tables == {(1, op.input.shape[1], 1, width)} else ()


def head_grid(t: TensorType, device: Grid) -> Grid | None:
    """Cores for heads [batch, heads, rows, width]: a row of cores for each of a batch, as many heads on each core.

    None where there is no such rectangle, or heads cut tiles. Heads of one alone would lie on few cores.
    """
    batch, heads, _, width = t.shape
    columns = max((n for n in range(1, device.cols + 1) if heads % n == 0), default=0)
    return Grid(batch, columns) if 1 < batch <= device.rows and columns > 1 and width % TILE == 0 else None
