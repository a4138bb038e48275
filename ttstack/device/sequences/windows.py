"""Ops on sliding windows: the library needs images with channels last and all pixels in one dimension."""

import math
from collections.abc import Sequence
from dataclasses import replace

from ttstack.device.layout import MemorySpace
from ttstack.device.sequences.formats import compute_format
from ttstack.device.sequences.sequence import CallSequence, CallWriter, calls_of
from ttstack.ops.generic import ToLayout
from ttstack.ops.types import DType
from ttstack.ops.windows import per_axis


@calls_of("max_pool2d", "avg_pool2d")
def pool(s: CallWriter) -> CallSequence | None:
    """Call the op in a supported format."""
    call_dtype = compute_format(s.kind, s.layout(0).dtype)
    pooled = s.itself(
        s.op, _pixels(s, s.cast(0, call_dtype), s.op.images().shape), to=[replace(s.wanted, dtype=call_dtype)]
    )
    unflattened = s.reshape_from(_flat(s.op.results[0].shape), pooled, s.op.results[0].shape, to=s.layout(pooled))
    return s.end(s.cast(unflattened, s.wanted.dtype, to=s.wanted))


@calls_of("conv2d", "conv_transpose2d", "conv1d")
def convolution(s: CallWriter) -> CallSequence | None:
    """Permute dimensions to the library's order, and back."""
    order, shape = list(s.op.order), s.op.results[0].shape
    plain = order == sorted(order)
    x = 0 if plain else s.permute(0, order)
    batch, *rest = s.type(x).shape
    rows = s.reshape(x, (batch, 1, *rest)) if s.kind == "conv1d" else _pixels(s, x, (batch, *rest))
    convolved = s.itself(s.op, rows, *range(1, len(s.op.operands)))
    ordered = [shape[d] for d in order]
    convolved = s.reshape_from(_flat(ordered), convolved, ordered, to=s.wanted)
    return s.end(convolved if plain else s.permute(convolved, [order.index(d) for d in range(len(order))], to=s.wanted))


def _pixels(s: CallWriter, value: int, shape: Sequence[int]) -> int:
    """Reshape images to all pixels in one dimension."""
    return s.reshape(value, _flat(shape))


def _flat(shape: Sequence[int]) -> tuple[int, ...]:
    return (1, 1, math.prod(shape[:-1]), shape[-1])


@calls_of("upsample2d")
def upsample(s: CallWriter) -> CallSequence | None:
    """Call it on rows of pixels, in bf16 for interpolation."""
    source_dtype, wanted = s.layout(0).dtype, s.wanted
    if set(per_axis("scale_factor", s.op.scale_factor, 2)) == {1}:
        return None
    call_dtype = DType.BF16 if s.op.mode == "bilinear" or source_dtype.is_block else source_dtype
    rows = s.cast(0, call_dtype)
    if s.layout(rows).tiled:
        plain = replace(s.layout(rows).interleave(MemorySpace.DRAM), tiled=False)
        rows = s.call(ToLayout(input=s.type(rows)), rows, to=plain)
    pages = replace(wanted.interleave(wanted.memory_space), dtype=call_dtype, tiled=False)
    upsampled = s.itself(s.op, rows, to=[pages])
    if wanted.tiled:
        upsampled = s.call(ToLayout(input=s.type(upsampled)), upsampled, to=replace(wanted, dtype=call_dtype))
    return s.end(s.cast(upsampled, wanted.dtype, to=wanted))
