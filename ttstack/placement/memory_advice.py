"""Advice for a memory that is too small: its content, and the format that would fit."""

from collections.abc import Callable, Iterable
from dataclasses import replace

from ttstack.device.layout import Layout
from ttstack.ops.types import DType
from ttstack.placement.overrides import FORMATS

_NAMED = 8
"""Tensors that are named."""


def narrow(layout: Layout, dtype: DType) -> Layout:
    """Return the layout with real numbers in `dtype`, if narrower and allowed for its rows."""
    own = layout.dtype
    if own.is_float and own.bits > dtype.bits and (layout.tiled or not dtype.is_block):
        return replace(layout, dtype=dtype)
    return layout


def format_advice(need: Callable[[DType], int], room: int) -> str | None:
    """Return the widest format in which the data fits; None if there is none."""
    for dtype in sorted(FORMATS, key=lambda f: -f.bits):
        if (nbytes := need(dtype)) <= room:
            return f"use `--dtype {dtype}`, with which {nbytes:,} bytes are needed"
    return None


def name_largest(tensors: Iterable[tuple[int, str]]) -> tuple[str, ...]:
    """Notes on tensors, each with its bytes: the largest first, then all others together."""
    ordered = sorted(tensors, reverse=True)
    named, others = ordered[:_NAMED], ordered[_NAMED:]
    rest = [f"{len(others)} more: {sum(nbytes for nbytes, _ in others):,} bytes"] if others else []
    return (*(f"{what}: {nbytes:,} bytes" for nbytes, what in named), *rest)
