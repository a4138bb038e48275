"""Columns that kernels need beside those of a product, as columns of zeros of its weights."""

import math
from collections.abc import Sequence

from ttstack.dialects.base import attribute_values, definition, definition_of, operands_by_place
from ttstack.dialects.ttir.build import reshape_to
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.ttir.destination import pure_producer
from ttstack.dialects.types import read_type
from ttstack.mlir import ir
from ttstack.ops.indexing import SliceStatic
from ttstack.ops.matmul import Matmul
from ttstack.ops.shape import Pad
from ttstack.passes.base import Pass
from ttstack.passes.rewriting.pattern import apply_patterns
from ttstack.passes.ttir.queries.compile_time import is_known
from ttstack.passes.ttir.queries.movement_chain import before_moves, rearrange, ways
from ttstack.passes.ttir.queries.producers import MATMULS, find_producer


class FoldPaddingIntoWeights(Pass, name="fold-padding-into-weights"):
    """Zeros that fill up heads come out of the product before them, and are left to the weights of the one after.

    So heads of 72 or 80 elements are whole tiles all the way, and nothing is filled up or cut off while the program
    runs. Weights of zero meet only what attention makes of padding: zero times infinity is NaN.
    """

    def run(self, module: ir.Module) -> None:
        """Rewrite to a fixpoint."""
        apply_patterns(module, [("ttir.pad", _before), *((name, _after) for name in MATMULS)])


def _before(op: ir.Operation) -> list[ir.Value] | None:
    """Zeros after a part of the columns of a product: zeros in its weights."""
    pad = definition_of(op)
    assert isinstance(pad, Pad)
    if pad.value != 0 or any(pad.padding[:-1]) or pad.padding[-1] <= 0:
        return None
    for steps, found in ways(op.operands[0]):
        product = pure_producer(steps[0].operands[0])
        if product is None or product.name not in MATMULS or not _read_once([product, *steps]):
            continue
        matmul, columns = definition_of(product), found.dims[-1]
        assert isinstance(matmul, Matmul)
        last = matmul.results[0].rank - 1
        if not _can_grow(product, matmul) or matmul.activation or len(columns) != 1 or columns[0][0] != last:
            continue
        extent, to = found.sizes[columns[0]], pad.results[0].shape[-1]
        if columns[0] != max(atom for atom in found.flat if atom[0] == last):
            continue
        a, weight, *bias = product.operands
        split = (matmul.mnk[1] // extent, extent, 1)
        grown = _grown(weight, 0 if matmul.transpose_b else 1, split, to)
        rows = [_grown(reshape_to(b, (matmul.mnk[1],)), 0, split, to) for b in bias]
        made = ttir.build(matmul.mnemonic, a, grown, *rows, **attribute_values(type(matmul), product))
        return [rearrange(made, found.resize(columns[0], to), pad.results[0].shape)]
    return None


def _after(op: ir.Operation) -> list[ir.Value] | None:
    """A product of what was cut off at the end of rows: zeros in its weights meet what was not."""
    matmul = definition_of(op)
    assert isinstance(matmul, Matmul)
    for steps, found in ways(op.operands[0]) if _can_grow(op, matmul) else ():
        cut = find_producer(steps[0].operands[0], "slice_static")
        if cut is None or (to := _width_before(cut)) is None or not _cuts_padding(cut):
            continue
        whole = (read_type(cut.results[0].type).rank - 1,)
        columns = found.dims[-1]
        if whole not in columns:
            continue
        sizes, at = [found.sizes[atom] for atom in columns], columns.index(whole)
        split = (math.prod(sizes[:at]), sizes[at], math.prod(sizes[at + 1 :]))
        shape = (*matmul.a.shape[:-1], matmul.a.shape[-1] // sizes[at] * to)
        a = rearrange(cut.operands[0], found.resize(whole, to), shape)
        grown = _grown(op.operands[1], 1 if matmul.transpose_b else 0, split, to)
        return [ttir.build(matmul.mnemonic, a, grown, *list(op.operands)[2:], **attribute_values(type(matmul), op))]
    return None


def _can_grow(op: ir.Operation, matmul: Matmul) -> bool:
    """Whether it multiplies rows with one matrix, which is known."""
    one = matmul.b.rank == 2 and matmul.a.rank > 1 and not matmul.transpose_a and matmul.adds_row
    return one and all(is_known(v) for v in list(op.operands)[1:])


def _read_once(ops: Sequence[ir.Operation]) -> bool:
    return all(len(list(op.results[0].uses)) == 1 for op in ops)


def _width_before(cut: ir.Operation) -> int | None:
    """Elements of a row before its end was cut off; None where anything else is."""
    found = definition_of(cut)
    assert isinstance(found, SliceStatic)
    *outer, width = found.input.shape
    kept = set(found.step) == {1} and not any(found.begins) and list(found.ends[:-1]) == outer
    return width if kept and 0 < found.ends[-1] < width else None


def _cuts_padding(cut: ir.Operation) -> bool:
    """Whether what is cut off the end of rows is what attention makes of values that were filled up to their width."""
    attention = pure_producer(before_moves(cut.operands[0])[0])
    spec = None if attention is None else definition(attention)
    if attention is None or spec is None or "value" not in (names := list(spec.operand_specs())):
        return False
    value = operands_by_place(spec, attention)[names.index("value")]
    filled = find_producer(value, "pad")
    if filled is None:
        return False
    pad, kept = definition_of(filled), definition_of(cut)
    assert isinstance(pad, Pad)
    assert isinstance(kept, SliceStatic)
    return not any(pad.padding[:-1]) and math.isfinite(pad.value) and pad.input.shape[-1] <= kept.ends[-1]


def _grown(value: ir.Value, at: int, split: tuple[int, int, int], to: int) -> ir.Value:
    """One axis, of so many parts, with zeros after each part."""
    shape = read_type(value.type).shape
    apart = reshape_to(value, (*shape[:at], *split, *shape[at + 1 :]))
    padding = [0] * (2 * (len(shape) + 2))
    padding[2 * (at + 1) + 1] = to - split[1]
    whole = ttir.pad(apart, padding=tuple(padding), value=0.0)
    return reshape_to(whole, (*shape[:at], split[0] * to * split[2], *shape[at + 1 :]))
