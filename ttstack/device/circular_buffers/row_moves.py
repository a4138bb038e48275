"""Circular buffers of kernels that move rows: what they read at a time, in pages that begin at aligned addresses."""

import math
from collections.abc import Sequence

from ttstack.device.circular_buffers.tiles import DOUBLE, Shape
from ttstack.ops.types import TILE, DType

_ALIGNED = 32
"""Bytes of DRAM at whose multiples rows begin."""
_L1_ALIGNED = 16
_READ = 4096
"""Bytes of rows that a slice reads at a time, where one is not longer."""
_PADDED, _BARRIERS = 2048, 16
"""Bytes of rows that are padded at a time, and how often that many are held."""
_BLOCKS = 6
"""Blocks of a tile's rows and columns: rows as they come, transposed, and as they leave, two each."""
_REPEATED = 8
"""Rows that are repeated at a time."""
_WRITTEN = (2, 4)
"""Least and most dimensions of what a kernel repeats that is written for its shape: others have no circular buffer."""


def has_kernel_of_its_own(shape: Shape) -> bool:
    """Return True if a kernel that is written for the shape repeats a tensor."""
    least, most = _WRITTEN
    return least <= len(shape) <= most


def row_bytes(columns: int, dtype: DType, aligned: int = _ALIGNED) -> int:
    """Bytes of a row as a page."""
    return math.ceil(columns * dtype.row_major_bytes / aligned) * aligned


def permuted_rows(shape: Shape, order: Sequence[int], dtype: DType) -> int:
    """Bytes for whole rows in another order, or for blocks of rows that become columns."""
    if list(order) == list(range(len(shape))):
        return 0
    if order[-1] == len(shape) - 1:
        return DOUBLE * row_bytes(shape[-1], dtype)
    return _BLOCKS * TILE * math.ceil(TILE * dtype.row_major_bytes)


def sliced_rows(
    source: Shape, begins: Sequence[int], target: Shape, step: Sequence[int], dtype: DType, cores: int
) -> int:
    """Bytes for parts of rows, as many of which are read at a time as divide those of a core; of steps, whole rows."""
    if any(by != 1 for by in step):
        return DOUBLE * row_bytes(source[-1], dtype)
    misaligned = begins[-1] * dtype.row_major_bytes % _ALIGNED != 0
    apart, page = row_bytes(target[-1], dtype), row_bytes(target[-1], dtype, (DOUBLE if misaligned else 1) * _ALIGNED)
    rows = -(-math.prod(target[:-1]) // cores)
    rows = -(-rows // TILE) * TILE
    return DOUBLE * page * max((n for n in range(1, rows + 1) if rows % n == 0 and n * apart <= _READ), default=1)


def padded_rows(target: Shape, dtype: DType) -> int:
    """Bytes for rows with a value around them."""
    page = row_bytes(target[-1], dtype, _L1_ALIGNED)
    return _BARRIERS * max(-(-_PADDED // page), 1) * page


def repeated_rows(source: Shape, counts: Sequence[int], dtype: DType) -> int:
    """Bytes for rows several times, along one dimension after the other, the last one first."""
    if not has_kernel_of_its_own(source):
        return 0
    wide = counts[-1] > 1
    return _REPEATED * row_bytes(source[-1] * (counts[-1] if wide else 1), dtype) if any(c > 1 for c in counts) else 0
