"""Circular buffers of attention over full sequences, and of new tokens over a cache."""

import math

from ttstack.device.circular_buffers.pieces import repeat_bytes
from ttstack.device.circular_buffers.tiles import DOUBLE
from ttstack.device.device_op import DeviceOp
from ttstack.device.query_blocks import blocks_of_core
from ttstack.ops.decode import DecodeAttentionOp, PagedDecodeAttention, PagedScaledDotProductAttentionDecode
from ttstack.ops.flash import Attended
from ttstack.ops.types import TILE, DType, tiles
from ttstack.system_desc import ChipDesc

_DST = 8
"""Number of tiles computed at a time."""
_STATISTICS = 5
"""Statistics columns of a block of queries: old and new maxima and sums, and their change."""
_SCALARS = 3
_PAGE = 32
"""Bytes to which such numbers are rounded up."""
_EDGES = 2
"""Number of tiles for the two ends of a window."""


def attention_bytes(device_op: DeviceOp, attended: Attended, query: int, keys: int, workers: int) -> int:
    """Return the bytes on each core for blocks of `query` by `keys` tiles.

    Intermediates are bf16; the result is written in two groups of rows.
    """
    (batch, heads, rows, depth), width = device_op.op.operands[0].shape, device_op.op.operands[2].shape[3]
    depth, width = tiles(depth), tiles(width)
    q, k, v = (layout.dtype.tile_bytes for layout in device_op.operands[:3])
    plain = DType.BF16.tile_bytes
    most = blocks_of_core(attended, -(-tiles(rows) // query), batch * heads, device_op.grid.cores)
    streams = query * depth * q * (DOUBLE if most > 1 else 1)
    streams += DOUBLE * keys * (depth * k + width * v)
    intermediates = query * (keys + 2 * width + _STATISTICS) + _SCALARS
    out = DOUBLE * _row_group(query, width) * width * device_op.results[0].dtype.tile_bytes
    sink = 0 if attended.sink is None else device_op.operands[attended.sink].dtype.tile_bytes
    total = streams + _mask_bytes(device_op, attended, query, keys) + intermediates * plain + out + sink
    return max(total, _repeated(device_op, attended, workers))


def _repeated(device_op: DeviceOp, attended: Attended, workers: int) -> int:
    """Return the bytes of a one-row mask that is repeated for all queries."""
    if attended.mask is None:
        return 0
    mask, rows = device_op.op.operands[attended.mask], device_op.op.operands[0].shape[2]
    if mask.shape[2] == rows:
        return 0
    return repeat_bytes(mask.shape, (1, 1, rows, 1), device_op.operands[attended.mask].dtype, workers)


def _mask_bytes(device_op: DeviceOp, attended: Attended, query: int, keys: int) -> int:
    """Return the bytes of two blocks of a mask operand, or of the tiles for padding and diagonal masks.

    For documents the kernel generates such blocks from bounds in reader and writer; for flags it stores a row. In both
    cases it determines the visited keys for each block of queries.
    """
    rows, seen = (t.shape[2] for t in device_op.op.operands[:2])
    if attended.mask is not None:
        flags = 0 if attended.structure is None else _PAGE - (-4 * -(-tiles(seen) // keys) // _PAGE) * _PAGE
        return DOUBLE * query * keys * device_op.operands[attended.mask].dtype.tile_bytes + flags
    if attended.structure is not None:
        return DOUBLE * query * keys * DType.BF16.tile_bytes + DOUBLE * DType.SI32.tile_bytes + _PAGE
    padded = tiles(seen) % keys or seen % TILE
    short = padded or tiles(rows) % query or rows % TILE
    if not (attended.is_causal or attended.window or short):
        return 0
    special = _EDGES if attended.window else int(attended.is_causal)
    partial = not attended.is_causal and seen % TILE != 0
    return (1 + special + int(partial)) * DType.BF16.tile_bytes


def _row_group(query: int, width: int) -> int:
    """Return the result's rows of tiles that are computed together: at most two, if as many tiles are."""
    pairs = [(h, w) for h in (1, 2) for w in range(1, _DST + 1) if query % h == 0 and width % w == 0 and h * w <= _DST]
    height, columns = max(pairs, key=lambda hw: (math.prod(hw), hw))
    return 2 if height == 1 and 2 * columns <= _DST and query > 1 else height


_MOST_CHUNK = 16
"""Maximum tiles of keys per chunk: a power of two that divides those of the cache or of a page."""
_HALF_TILE = TILE // 2
"""Maximum number of heads for tiles of half the height, which causal attention then uses."""


def decode_attention_bytes(device_op: DeviceOp, op: DecodeAttentionOp, chip: ChipDesc) -> int:
    """Return the bytes on each core: queries, two chunks of keys and values, scores, and results of a head's cores.

    Intermediates are bf16. The cores of a head are those of the device, even without keys.
    """
    users, heads, _ = op.lengths()
    rows, (depth, width) = tiles(heads), map(tiles, op.widths())
    chunk, cores = chunk_tiles(op), cores_of_head(device_op, op, chip)
    if isinstance(op, PagedScaledDotProductAttentionDecode):
        cores = 1  # each takes whole heads
    streams = 2 * chunk * (depth + width) * device_op.operands[1].dtype.tile_bytes
    sink, masked = getattr(op, "attention_sink", None) is not None, chunk if op.window else 0
    intermediates = rows * (2 * depth + 5 * width + 2 * chunk + 11 + sink + masked + (width + 2) * (cores - 1))
    height = 2 if getattr(op, "is_causal", False) and heads <= _HALF_TILE else 1
    plain = DType.BF16.tile_bytes
    return streams + intermediates * plain // height + _SCALARS * plain + _lists(op, users, chip)


def cores_of_head(device_op: DeviceOp, op: DecodeAttentionOp, chip: ChipDesc) -> int:
    """Return the number of cores that share the keys of a head of one user."""
    return max(min(free_cores(device_op, op), chip.attention.max_cores_per_head), 1)


def free_cores(device_op: DeviceOp, op: DecodeAttentionOp) -> int:
    """Return the number of cores available for a key head of one user; 0 if there are more heads than cores."""
    return device_op.grid.cores // max(op.lengths()[0] * op.parts[1].shape[1], 1)


def chunk_tiles(op: DecodeAttentionOp) -> int:
    """Return the tiles of keys that a core processes at a time."""
    keys = 1 if isinstance(op, PagedDecodeAttention) else tiles(op.parts[1].shape[2])
    return min(_MOST_CHUNK, keys & -keys)


def _lists(op: DecodeAttentionOp, users: int, chip: ChipDesc) -> int:
    """Return the bytes of the positions of all users, twice, and of one user's page list."""
    entry, unit = math.ceil(DType.SI32.row_major_bytes), chip.dram.alignment_bytes
    pages = op.table.shape[-1] if isinstance(op, PagedDecodeAttention) else 0
    return (2 * math.ceil(users * entry / unit) + math.ceil(pages * entry / unit)) * unit
