"""Lookups of indices as they come, in rows of any shape, and of results as they are read."""

import numpy as np

from ttstack.dialects.base import definition_of
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.ttir.destination import pure_producer
from ttstack.dialects.types import read_type
from ttstack.mlir import ir
from ttstack.ops.types import DType
from ttstack.passes.base import Pass
from ttstack.passes.rewriting.pattern import apply_patterns
from ttstack.passes.stages import Stage
from ttstack.passes.ttir.queries.aliases import VIEWS
from ttstack.passes.ttir.queries.producers import find_producer


class FoldLookupReshapes(Pass, name="fold-lookup-reshapes", optional=True, stage=Stage.LOOKUPS):
    """Reshapes of the indices of `embedding`, casts that keep them, and reshapes of its result become its `shape`.

    In tiles, indices [N, 1] would be padded 32 times over, and rows [N, 1, D] too; indices are read in rows.
    """

    def run(self, module: ir.Module) -> None:
        """Rewrite to a fixpoint."""
        apply_patterns(module, [("ttir.embedding", _indices), *((name, _result) for name in VIEWS)])


def _indices(op: ir.Operation) -> list[ir.Value] | None:
    """The indices before they were reshaped or became other integers."""
    source: ir.Value = op.operands[0]
    while (owner := pure_producer(source)) is not None and _keeps_values(owner):
        source = owner.operands[0]
    if source == op.operands[0]:
        return None
    return [_lookup(source, op.operands[1], definition_of(op).results[0].shape[:-1])]


def _keeps_values(op: ir.Operation) -> bool:
    if op.name in VIEWS:
        return True
    if op.name != "ttir.typecast":
        return False
    source, cast = (read_type(v.type).dtype for v in (op.operands[0], op.results[0]))
    return isinstance(source, DType) and isinstance(cast, DType) and _holds_rows(source, cast)


def _holds_rows(source: DType, cast: DType) -> bool:
    """Return True if integers of one type are the same rows of a table in the other: 32 bits hold any row number."""
    if source.is_float or cast.is_float:
        return False
    return min(source.bits, cast.bits) >= DType.I32.bits or np.can_cast(source.numpy, cast.numpy)


def _result(op: ir.Operation) -> list[ir.Value] | None:
    """Rows of the table in another arrangement, of which nothing else is read."""
    rows, shape = find_producer(op.operands[0], "embedding"), read_type(op.results[0].type).shape
    if rows is None or len(list(op.operands[0].uses)) > 1:
        return None
    width = read_type(op.operands[0].type).shape[-1]
    if shape[-1:] != (width,) or 0 in shape:
        return None
    indices, table = rows.operands
    with rows.location:
        return [_lookup(indices, table, shape[:-1])]


def _lookup(indices: ir.Value, table: ir.Value, shape: tuple[int, ...]) -> ir.Value:
    index_shape = read_type(indices.type).shape
    return ttir.embedding(indices, table, shape=None if index_shape == shape else shape)
