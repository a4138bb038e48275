"""Fusion of masks with one row per sample into softmax, whose kernel adds the row to all rows."""

import math
from collections.abc import Iterator
from functools import partial

from ttstack.dialects.ttir import views
from ttstack.dialects.ttir.build import broadcast_to, reshape_to
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.types import read_type
from ttstack.mlir import ir
from ttstack.ops.reduction import Softmax
from ttstack.ops.types import TensorType
from ttstack.passes.rewriting.candidates import Candidate
from ttstack.passes.rewriting.rewrite import rewrite
from ttstack.passes.stages import Stage
from ttstack.passes.ttir.facts.distinct_slices import DistinctSlices


@rewrite("fuse-mask-into-softmax", if_faster=True, placed=True, stage=Stage.KERNELS)
def fuse_mask_into_softmax(op: views.Softmax) -> Iterator[Candidate]:
    """`softmax(x + mask)` = `softmax(x, mask)`, if all rows of a sample have the same mask."""
    softmax, added = op.described, views.Add.of(op.input)
    is_last = softmax.dimension % softmax.input.rank == softmax.input.rank - 1
    if added is None or not added.is_read_once or softmax.mask is not None or not is_last:
        return
    for x, mask in added.either_order:
        t = read_type(x.type)
        row = _row_type(mask)
        samples = _samples(t, row) if t == softmax.input and t.dtype.is_float else None
        if samples is not None:
            yield partial(_add_inside, softmax, x, mask, row, samples)


def _row_type(mask: ir.Value) -> TensorType:
    """Return the type of a mask without copies, except along rows, which the kernel reads unchanged."""
    t = read_type(mask.type)
    return t.with_shape((*DistinctSlices().shape(mask)[:-1], *t.shape[-1:]))


def _samples(x: TensorType, mask: TensorType) -> int | None:
    """Return the number of samples with one mask row each; None if one has several rows, or none."""
    if mask.dtype != x.dtype or not 0 < mask.rank <= x.rank or x.rank < len("rw") or not x.size:
        return None
    *outer, rows, width = (1,) * (x.rank - mask.rank) + mask.shape
    lead = max((d + 1 for d, extent in enumerate(outer) if extent != 1), default=0)
    fits = rows == 1 and width == x.shape[-1] and tuple(outer[:lead]) == x.shape[:lead]
    return math.prod(outer) if fits else None


def _add_inside(softmax: Softmax, x: ir.Value, mask: ir.Value, row: TensorType, samples: int) -> ir.Value:
    """Build the four-dimensional form of the kernel; full tiles stay unchanged."""
    *outer, rows, width = softmax.input.shape
    operand = reshape_to(x, (samples, math.prod(outer) // samples, rows, width))
    mask_row = reshape_to(broadcast_to(DistinctSlices().of(mask), row.shape), (samples, 1, 1, width))
    value = ttir.softmax(operand, mask_row, dimension=3, numericStable=softmax.numericStable)
    return reshape_to(value, softmax.input.shape)
