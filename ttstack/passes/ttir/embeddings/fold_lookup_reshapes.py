"""Folding of reshapes around lookups: indices and results have any shape."""

from math import prod

import numpy as np

from ttstack.dialects.base import definition_of
from ttstack.dialects.ttir.build import reshape_to
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.ttir.destination import pure_producer
from ttstack.dialects.types import read_type
from ttstack.mlir import ir
from ttstack.ops.types import DType
from ttstack.passes.base import Pass
from ttstack.passes.rewriting.pattern import apply_patterns
from ttstack.passes.stages import Stage
from ttstack.passes.ttir.queries.aliases import VIEWS
from ttstack.passes.ttir.queries.compile_time import is_known
from ttstack.passes.ttir.queries.producers import find_producer


class FoldLookupReshapes(Pass, name="fold-lookup-reshapes", optional=True, stage=Stage.LOOKUPS):
    """Fold reshapes and casts around an `embedding` into its attribute `shape`.

    In tiles, indices [N, 1] and rows [N, 1, D] would be padded to 32 times their size; indices are read in rows.
    Constant indices are reshaped at compile time to the rows that the library reads.
    """

    def run(self, module: ir.Module) -> None:
        """Rewrite to a fixpoint."""
        lookups = [("ttir.embedding", _indices), ("ttir.embedding", _constant_indices)]
        apply_patterns(module, [*lookups, *((name, _result) for name in VIEWS)])


def _indices(op: ir.Operation) -> list[ir.Value] | None:
    """Use the indices before reshapes and casts."""
    source: ir.Value = op.operands[0]
    while (owner := pure_producer(source)) is not None and _keeps_values(owner):
        source = owner.operands[0]
    if source == op.operands[0] or is_known(source):
        return None
    return [_lookup(source, op.operands[1], definition_of(op).results[0].shape[:-1])]


def _constant_indices(op: ir.Operation) -> list[ir.Value] | None:
    """Use constant indices in the shape that the library reads, if they would be reshaped at each run."""
    indices, table = op.operands
    shape, stored = definition_of(op).results[0].shape[:-1], read_type(indices.type).shape
    read = shape if len(shape) == 2 else (1, prod(shape))
    if read[-1:] == stored[-1:] or not is_known(indices):
        return None
    with op.location:
        return [_lookup(reshape_to(indices, read), table, shape)]


def _keeps_values(op: ir.Operation) -> bool:
    if op.name in VIEWS:
        return True
    if op.name != "ttir.typecast":
        return False
    source, cast = (read_type(v.type).dtype for v in (op.operands[0], op.results[0]))
    return isinstance(source, DType) and isinstance(cast, DType) and _holds_rows(source, cast)


def _holds_rows(source: DType, cast: DType) -> bool:
    """Return True if a cast keeps row numbers of a table; 32 bits represent any row number."""
    if source.is_float or cast.is_float:
        return False
    return min(source.bits, cast.bits) >= DType.I32.bits or np.can_cast(source.numpy, cast.numpy)


def _result(op: ir.Operation) -> list[ir.Value] | None:
    """Return the rows in another shape, if they have no other uses."""
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
