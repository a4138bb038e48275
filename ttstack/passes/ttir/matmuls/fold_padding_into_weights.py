"""Folding of padding around matmuls into zero columns of weights."""

import math

from ttstack.dialects.base import definition, operands_by_place
from ttstack.dialects.ttir import views
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.ttir.destination import pure_producer
from ttstack.mlir import ir
from ttstack.ops.index_map import Part
from ttstack.ops.matmul import Matmul
from ttstack.passes.rewriting.rewrite import rewrite
from ttstack.passes.stages import Stage
from ttstack.passes.ttir.matmuls.projected_columns import ProjectedColumns, can_grow, pad_part
from ttstack.passes.ttir.queries.movement_chain import before_moves, rearrange, ways

_Matmul = views.Matmul | views.Linear


@rewrite("fold-padding-into-weights", stage=Stage.WEIGHTS)
def fold_padding_into_weights(op: views.Pad | views.Matmul | views.Linear) -> ir.Value | None:
    """`pad(matmul(x, w))` = `matmul(x, pad(w))`, and `matmul(slice(x), w)` = `matmul(x, pad(w))`.

    Heads of 72 or 80 elements then have full tiles everywhere, and no op pads or slices them at run time. Zero weights
    only meet results for padded values, as zero times infinity is NaN.
    """
    return _pad_columns(op) if isinstance(op, views.Pad) else _pad_rows(op)


def _pad_columns(op: views.Pad) -> ir.Value | None:
    """Move zeros after columns of a matmul into its weights."""
    pad = op.described
    padded = [d for d in range(pad.input.rank) if any(pad.padding[2 * d : 2 * d + 2])]
    if pad.value != 0 or len(padded) != 1 or pad.padding[2 * padded[0]] or pad.padding[2 * padded[0] + 1] <= 0:
        return None
    columns = ProjectedColumns.of(op.input, padded[0])
    return None if columns is None else columns.pad(pad.results[0].shape[padded[0]])


def _pad_rows(op: _Matmul) -> ir.Value | None:
    """Add zero rows to the weights of a matmul for the padding that a slice drops before it."""
    matmul = op.described
    for moves, order in ways(op.a) if can_grow(op) else ():
        cut = views.SliceStatic.of(moves[0].operands[0])
        if cut is None or (width := _width_before(cut)) is None or not _drops_padding(cut):
            continue
        rank, columns = cut.result_type.rank, order.dims[-1]
        last = Part(rank - 1, 1, cut.result_type.shape[-1])
        if last not in columns:
            continue
        position = columns.index(last)
        outer, inner = columns[:position], columns[position + 1 :]
        split = (math.prod(part.extent for part in outer), last.extent, math.prod(part.extent for part in inner))
        a = rearrange(cut.input, order.resize(last, width))
        padded = pad_part(op.b, 1 if matmul.transpose_b else 0, split, width)
        return ttir.build(matmul.mnemonic, a, padded, *list(op.operation.operands)[2:], **op.attributes)
    return None


def _width_before(cut: views.SliceStatic) -> int | None:
    """Return the row width before its end is sliced off; None for any other slice."""
    *outer, width = cut.described.input.shape
    keeps_rows = set(cut.step) == {1} and not any(cut.begins) and list(cut.ends[:-1]) == outer
    return width if keeps_rows and 0 < cut.ends[-1] < width else None


def _drops_padding(cut: views.SliceStatic) -> bool:
    """Return True if a slice drops results for padded values of attention or of a matmul."""
    product = pure_producer(before_moves(cut.input)[0])
    spec = None if product is None else definition(product)
    name = "b" if spec is not None and issubclass(spec, Matmul) else "value"
    if product is None or spec is None or name not in (names := list(spec.operand_specs())):
        return False
    pad = views.Pad.of(operands_by_place(spec, product)[names.index(name)])
    if pad is None or any(pad.padding[:-1]) or not math.isfinite(pad.value):
        return False
    return pad.described.input.shape[-1] <= cut.ends[-1]
