"""Circular buffers of kernels that move rows: rows read at a time, in pages with aligned addresses."""

import math
from collections.abc import Sequence

from ttstack.device.circular_buffers.tiles import DOUBLE, Shape
from ttstack.ops.types import TILE, DType

_ALIGNED = 32
"""Alignment of rows in DRAM in bytes."""
_L1_ALIGNED = 16
_READ = 4096
"""Bytes of rows that a slice reads at a time, unless one is longer."""
_PADDED, _BARRIERS = 2048, 16
"""Bytes of rows padded at a time, and number of buffers."""
_BLOCKS = 6
"""Number of blocks of a tile's rows and columns: input, transposed and output, two each."""
_REPEATED = 8
"""Number of rows repeated at a time."""
_WRITTEN = (2, 4)
"""Minimum and maximum rank of shape-specific repeat kernels, which have no circular buffers."""


def has_kernel_of_its_own(shape: Shape) -> bool:
    """Return True if a shape-specific kernel repeats the tensor."""
    least, most = _WRITTEN
    return least <= len(shape) <= most


def row_bytes(columns: int, dtype: DType, aligned: int = _ALIGNED) -> int:
    """Return the bytes of a row as a page."""
    return math.ceil(columns * dtype.row_major_bytes / aligned) * aligned


def permuted_rows(shape: Shape, order: Sequence[int], dtype: DType) -> int:
    """Return the bytes for permuting full rows, or blocks of rows that become columns."""
    if list(order) == list(range(len(shape))):
        return 0
    if order[-1] == len(shape) - 1:
        return DOUBLE * row_bytes(shape[-1], dtype)
    return _BLOCKS * TILE * math.ceil(TILE * dtype.row_major_bytes)


def sliced_rows(
    source: Shape, begins: Sequence[int], target: Shape, step: Sequence[int], dtype: DType, cores: int
) -> int:
    """Return the bytes for slices of rows, a divisor of a core's rows at a time; full rows for steps."""
    if any(by != 1 for by in step):
        return DOUBLE * row_bytes(source[-1], dtype)
    misaligned = begins[-1] * dtype.row_major_bytes % _ALIGNED != 0
    apart, page = row_bytes(target[-1], dtype), row_bytes(target[-1], dtype, (DOUBLE if misaligned else 1) * _ALIGNED)
    rows = -(-math.prod(target[:-1]) // cores)
    rows = -(-rows // TILE) * TILE
    return DOUBLE * page * max((n for n in range(1, rows + 1) if rows % n == 0 and n * apart <= _READ), default=1)


def padded_rows(target: Shape, dtype: DType) -> int:
    """Return the bytes for padding rows."""
    page = row_bytes(target[-1], dtype, _L1_ALIGNED)
    return _BARRIERS * max(-(-_PADDED // page), 1) * page


def repeated_rows(source: Shape, counts: Sequence[int], dtype: DType) -> int:
    """Return the bytes for repeating rows along one dimension after another, last one first."""
    if not has_kernel_of_its_own(source):
        return 0
    wide = counts[-1] > 1
    return _REPEATED * row_bytes(source[-1] * (counts[-1] if wide else 1), dtype) if any(c > 1 for c in counts) else 0
