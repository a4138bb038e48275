"""Attention that visits the tiles of scores that a mask leaves anything of, and no others."""

from collections.abc import Iterator
from itertools import groupby
from typing import Any

import numpy as np

from ttstack.ops.mask_structure import Band, MaskStructure, TileKind, parse_structure
from ttstack.ops.types import TILE
from ttstack_runtime.kernels.flash import Visibility, attend
from ttstack_runtime.kernels.table import Array, KernelTable

KERNELS = KernelTable()

_ALL = slice(None)
_ROWS = 16
"""Rows of tiles that are attended to at a time, at most."""


@KERNELS
def block_sparse_attention(
    query: Array,
    key: Array,
    value: Array,
    attention_mask: Array | None = None,
    attention_sink: Array | None = None,
    *_bounds_and_flags: Array | None,
    scale: float | None = None,
    mask_structure: str,
    **_said_by_the_structure: Any,
) -> Array:
    """Attention, [B, Hq, S, D] on [B, Hkv, Sk, D], whose mask is the operand, else what the structure says.

    Documents and flags are those of the structure: the op's verifier compares them.
    """
    structure = parse_structure(mask_structure, query.shape[2], key.shape[2])
    out = np.zeros((*query.shape[:3], value.shape[3]), query.dtype)
    sinks = None if attention_sink is None else attention_sink.reshape(-1, 1, 1)
    for plane, (b, h) in enumerate(np.ndindex(structure.shape)):
        batch = slice(b, b + 1) if structure.shape[0] > 1 else _ALL
        heads, shared = _heads(query.shape[1], key.shape[1], h if structure.shape[1] > 1 else None)
        for rows, columns in _visits(structure, plane):
            seen = _seen(structure, plane, rows, columns) if attention_mask is None else None
            out[batch, heads, rows] = attend(
                query[batch, heads, rows],
                key[batch, shared][:, :, columns],
                value[batch, shared][:, :, columns],
                scale=query.shape[3] ** -0.5 if scale is None else scale,
                visible=Visibility(np.zeros((1, rows.stop - rows.start), np.int64), is_causal=False),
                mask=seen if attention_mask is None else _part(attention_mask, b, h, rows, columns),
                sink=None if sinks is None else sinks[heads],
            )
    return out


def _heads(queries: int, keys: int, head: int | None) -> tuple[slice, slice]:
    """Heads of queries, and those of keys that serve them: all, or one."""
    if head is None:
        return _ALL, _ALL
    shared = head * keys // queries
    return slice(head, head + 1), slice(shared, shared + 1)


def _visits(structure: MaskStructure, plane: int) -> Iterator[tuple[slice, Array]]:
    """Rows of queries and the keys of the tiles that they visit; rows that visit none are left out."""
    visited = structure.kinds()[plane] != TileKind.EMPTY
    at = 0
    for flags, alike in groupby(visited.tolist()):
        count, keys = len(list(alike)), np.repeat(flags, TILE)[: structure.keys].nonzero()[0]
        for start in range(at, at + count, _ROWS) if keys.size else ():
            stop = min(start + _ROWS, at + count)
            yield slice(TILE * start, min(TILE * stop, structure.queries)), keys
        at += count


def _seen(structure: MaskStructure, plane: int, rows: slice, columns: Array) -> Array:
    """Bool [1, 1, rows, columns]: which keys are seen."""
    band = structure.planes[plane]
    assert isinstance(band, Band)
    first, end = (bound[rows, None] for bound in band.ranges(structure.queries))
    return ((first <= columns) & (columns < end))[None, None]


def _part(mask: Array, batch: int, head: int, rows: slice, columns: Array) -> Array:
    """What is added to scores of these rows and columns; batch and heads of the mask that are 1 stay so."""
    whole = mask.reshape((1,) * (4 - mask.ndim) + mask.shape)
    found = whole[batch : batch + 1, head : head + 1]
    found = found if whole.shape[2] == 1 else found[:, :, rows]
    return found if whole.shape[3] == 1 else found[..., columns]
