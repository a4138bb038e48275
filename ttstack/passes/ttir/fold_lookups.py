"""Lookups of indices as they come, in rows of any shape, and of results as they are read."""

from typing import Any

from ttstack.dialects.base import describe
from ttstack.dialects.ttir.build import ttir
from ttstack.dialects.types import read_type
from ttstack.mlir import ir
from ttstack.passes.base import Pass
from ttstack.passes.pattern import apply_patterns, producer
from ttstack.passes.ttir.writes import VIEWS


class FoldLookups(Pass, name="fold-lookups"):
    """Reshapes and integer casts of the indices of `embedding`, and reshapes of its result, become its `shape`.

    In tiles, indices [N, 1] would be padded 32 times over, and rows [N, 1, D] too; indices are read in rows.
    """

    def run(self, module: ir.Module) -> None:
        """Rewrite to a fixpoint."""
        apply_patterns(module, [("ttir.embedding", _indices), *((name, _result) for name in VIEWS)])


def _indices(op: Any) -> list[ir.Value] | None:
    """The indices before they were reshaped or became other integers."""
    source: ir.Value = op.operands[0]
    while (owner := producer(source)) is not None and _keeps_values(owner):
        source = owner.operands[0]
    if source == op.operands[0]:
        return None
    return [_lookup(source, op.operands[1], describe(op).results[0].shape[:-1])]


def _keeps_values(op: Any) -> bool:
    if op.name in VIEWS:
        return True
    t = read_type(op.operands[0].type) if op.name == "ttir.typecast" else None
    return t is not None and not t.dtype.is_float and not read_type(op.results[0].type).dtype.is_float


def _result(op: Any) -> list[ir.Value] | None:
    """Rows of the table in another arrangement, of which nothing else is read."""
    rows, shape = producer(op.operands[0]), read_type(op.results[0].type).shape
    if getattr(rows, "name", "") != "ttir.embedding" or len(list(op.operands[0].uses)) > 1:
        return None
    width = read_type(op.operands[0].type).shape[-1]
    if shape[-1:] != (width,) or 0 in shape:
        return None
    indices, table = rows.operands
    with rows.location:
        return [_lookup(indices, table, shape[:-1])]


def _lookup(indices: ir.Value, table: ir.Value, shape: tuple[int, ...]) -> ir.Value:
    given = read_type(indices.type).shape
    return ttir("embedding", [indices, table], shape=None if given == shape else shape)
