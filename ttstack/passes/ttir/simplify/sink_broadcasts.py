"""Broadcasts moved after elementwise ops, which then run on one copy."""

from collections.abc import Iterator
from functools import partial

from ttstack.dialects.base import create, definition, definition_of
from ttstack.dialects.built_ops import insert_before
from ttstack.dialects.types import read_type
from ttstack.mlir import func, ir
from ttstack.ops.eltwise import Eltwise, GeluBw
from ttstack.passes.functions import body
from ttstack.passes.rewriting.candidates import GroupCandidate, Replacement
from ttstack.passes.rewriting.rewrite import rewrite
from ttstack.passes.stages import Stage
from ttstack.passes.ttir.facts.distinct_slices import DistinctSlices


@rewrite(
    "sink-broadcasts",
    if_faster=True,
    stage=(Stage.MATMULS, Stage.PARALLEL),
    before={"assign-dim-orders": "it reduces the data to reorder"},
)
def sink_broadcasts(function: func.FuncOp) -> Iterator[Iterator[GroupCandidate]]:
    """`f(broadcast(x)) * y` = `f(x) * y`: an elementwise op broadcasts its operands itself.

    It applies to all elementwise ops of a function with operands that repeat slices along a dimension, traced through
    elementwise ops, permutations, slices and reshapes.
    """
    slices = DistinctSlices()
    meeting = [op for op in body(function) if _meets_copies(op, slices)]
    if meeting:
        yield iter([partial(_sink, meeting)])


def _meets_copies(op: ir.Operation, slices: DistinctSlices) -> bool:
    """Return True if an op combines repeated with other values."""
    if not _broadcasts(op) or len(op.results) != 1 or _repeats(op.results[0], slices):
        return False
    return any(_repeats(value, slices) for value in op.operands)


def _broadcasts(op: ir.Operation) -> bool:
    """Return True for elementwise ops whose kernel broadcasts operands: all but gelu's derivative."""
    spec = definition(op)
    return spec is not None and issubclass(spec, Eltwise) and not issubclass(spec, GeluBw)


def _repeats(value: ir.Value, slices: DistinctSlices) -> bool:
    return slices.shape(value) != read_type(value.type).shape


def _sink(meeting: list[ir.Operation]) -> Replacement:
    slices, replacement = DistinctSlices(), dict[ir.Value, ir.Value]()
    for op in meeting:
        operands = [slices.of(value) for value in op.operands]
        described = definition_of(op)
        with insert_before(op):
            built = create("ttir", described.mnemonic, operands, described.attributes(), results=described.results)
        replacement[op.results[0]] = built.results[0]
    return replacement
