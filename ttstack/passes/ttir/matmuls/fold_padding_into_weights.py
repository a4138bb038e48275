"""Columns of padding around matmuls as columns of zeros of their weights."""

import math

from ttstack.dialects.base import definition, operands_by_place
from ttstack.dialects.ttir import views
from ttstack.dialects.ttir.build import reshape_to
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.ttir.destination import pure_producer
from ttstack.dialects.types import read_type
from ttstack.mlir import ir
from ttstack.passes.rewriting.rewrite import rewrite
from ttstack.passes.stages import Stage
from ttstack.passes.ttir.queries.compile_time import is_known
from ttstack.passes.ttir.queries.movement_chain import before_moves, rearrange, ways
from ttstack.passes.ttir.queries.producers import is_shared

_Matmul = views.Matmul | views.Linear


@rewrite(
    "fold-padding-into-weights",
    stage=Stage.WEIGHTS,
    before={"commute-row-moves-with-matmul": "a pad between two moves keeps them from cancelling"},
)
def fold_padding_into_weights(op: views.Pad | views.Matmul | views.Linear) -> ir.Value | None:
    """`pad(matmul(x, w))` = `matmul(x, pad(w))`, and `matmul(slice(x), w)` = `matmul(x, pad(w))`.

    Heads of 72 or 80 elements have full tiles everywhere, and no op pads or slices them while the program runs. Weights
    of zero meet only attention's results for padding: zero times infinity is NaN.
    """
    return _pad_columns(op) if isinstance(op, views.Pad) else _pad_rows(op)


def _pad_columns(op: views.Pad) -> ir.Value | None:
    """Move zeros after columns of a matmul into its weights."""
    pad = op.described
    if pad.value != 0 or any(pad.padding[:-1]) or pad.padding[-1] <= 0:
        return None
    for moves, order in ways(op.input):
        source = moves[0].operands[0]
        producer = views.Matmul.of(source) or views.Linear.of(source)
        if producer is None or any(is_shared(v) for v in (source, *(move.results[0] for move in moves))):
            continue
        matmul, columns = producer.described, order.dims[-1]
        last = matmul.results[0].rank - 1
        if not _can_grow(producer) or matmul.activation or len(columns) != 1 or columns[0][0] != last:
            continue
        if columns[0] != max(atom for atom in order.flat if atom[0] == last):
            continue
        extent, width = order.sizes[columns[0]], pad.results[0].shape[-1]
        a, weight, *bias = producer.operation.operands
        split = (matmul.mnk[1] // extent, extent, 1)
        padded = _pad(weight, 0 if matmul.transpose_b else 1, split, width)
        rows = [_pad(reshape_to(b, (matmul.mnk[1],)), 0, split, width) for b in bias]
        value = ttir.build(matmul.mnemonic, a, padded, *rows, **producer.attributes)
        return rearrange(value, order.resize(columns[0], width), pad.results[0].shape)
    return None


def _pad_rows(op: _Matmul) -> ir.Value | None:
    """Let zeros in the weights of a matmul meet the padding that a slice drops before it."""
    matmul = op.described
    for moves, order in ways(op.a) if _can_grow(op) else ():
        cut = views.SliceStatic.of(moves[0].operands[0])
        if cut is None or (width := _width_before(cut)) is None or not _drops_padding(cut):
            continue
        last, columns = (cut.result_type.rank - 1,), order.dims[-1]
        if last not in columns:
            continue
        sizes, position = [order.sizes[atom] for atom in columns], columns.index(last)
        split = (math.prod(sizes[:position]), sizes[position], math.prod(sizes[position + 1 :]))
        shape = (*matmul.a.shape[:-1], matmul.a.shape[-1] // sizes[position] * width)
        a = rearrange(cut.input, order.resize(last, width), shape)
        padded = _pad(op.b, 1 if matmul.transpose_b else 0, split, width)
        return ttir.build(matmul.mnemonic, a, padded, *list(op.operation.operands)[2:], **op.attributes)
    return None


def _can_grow(op: _Matmul) -> bool:
    """Return True for a matmul of rows with one matrix that is a compile-time constant."""
    matmul = op.described
    is_matrix = matmul.b.rank == 2 and matmul.a.rank > 1 and not matmul.transpose_a and matmul.adds_row
    return is_matrix and all(is_known(v) for v in list(op.operation.operands)[1:])


def _width_before(cut: views.SliceStatic) -> int | None:
    """Return the elements of a row before its end is dropped; None if the slice drops anything else."""
    *outer, width = cut.described.input.shape
    keeps_rows = set(cut.step) == {1} and not any(cut.begins) and list(cut.ends[:-1]) == outer
    return width if keeps_rows and 0 < cut.ends[-1] < width else None


def _drops_padding(cut: views.SliceStatic) -> bool:
    """Return True if a slice drops attention's results for padding of its values."""
    attention = pure_producer(before_moves(cut.input)[0])
    spec = None if attention is None else definition(attention)
    if attention is None or spec is None or "value" not in (names := list(spec.operand_specs())):
        return False
    pad = views.Pad.of(operands_by_place(spec, attention)[names.index("value")])
    if pad is None or any(pad.padding[:-1]) or not math.isfinite(pad.value):
        return False
    return pad.described.input.shape[-1] <= cut.ends[-1]


def _pad(value: ir.Value, axis: int, split: tuple[int, int, int], width: int) -> ir.Value:
    """Split an axis, and fill its middle part with zeros up to a width."""
    shape = read_type(value.type).shape
    parts = reshape_to(value, (*shape[:axis], *split, *shape[axis + 1 :]))
    padding = [0] * (2 * (len(shape) + 2))
    padding[2 * (axis + 1) + 1] = width - split[1]
    padded = ttir.pad(parts, padding=tuple(padding), value=0.0)
    return reshape_to(padded, (*shape[:axis], split[0] * width * split[2], *shape[axis + 1 :]))
