"""Overlapping windows along the last dimension, as frames of a signal."""

from ttstack.dialects.ttir.build import concat_along, reshape_to, slice_along
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.types import read_type
from ttstack.mlir import ir

UNFOLD = "reshape slice_static concat pad"
"""The ops of windows."""
MOST_BLOCKS = 32
"""Number of steps that a window can span."""


def windows(x: ir.Value, size: int, step: int) -> ir.Value:
    """Return windows of the last dimension, [..., windows, size]: blocks of a step, each next to those after it.

    A window spans at most `MOST_BLOCKS` steps.
    """
    *lead, length = read_type(x.type).shape
    count, spanned = (length - size) // step + 1, -(-size // step)
    needed = (count - 1 + spanned) * step
    if needed > length:
        x = ttir.pad(x, padding=(*(0, 0) * len(lead), 0, needed - length), value=0.0)
    blocks = reshape_to(slice_along(x, len(lead), 0, needed), (*lead, count - 1 + spanned, step))
    parts = [slice_along(blocks, len(lead), i, i + count) for i in range(spanned)]
    return slice_along(concat_along(parts, len(lead) + 1), len(lead) + 1, 0, size)
