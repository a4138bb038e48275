"""The row of which all rows of a matrix are copies, as those of a mask that hides keys from all queries alike."""

from collections.abc import Sequence

import numpy as np

from ttstack.dialects.base import create, definition, describe
from ttstack.dialects.elements import elements_attribute
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.types import read_type
from ttstack.mlir import ir
from ttstack.ops.eltwise import Eltwise
from ttstack.ops.shape import Broadcast
from ttstack.ops.types import TensorType
from ttstack.passes.dataflow import Facts
from ttstack.passes.ttir.compile_time import constant_elements


def one_row(value: ir.Value) -> ir.Value | None:
    """[..., 1, width] that is broadcast to the value; None where nothing shows that its rows are equal.

    Elementwise ops on the way to it are made anew at the insertion point, of one row.
    """
    return Facts(_repeats, _row).about(value)


def _repeats(op: ir.Operation) -> bool:
    """Whether equal rows of operands make equal rows."""
    spec = definition(op)
    return spec is not None and issubclass(spec, Eltwise | Broadcast) and not _is_row(read_type(op.results[0].type))


def _row(value: ir.Value, op: ir.Operation | None, rows: Sequence[ir.Value | None]) -> ir.Value | None:
    t, found = read_type(value.type), [row for row in rows if row is not None]
    if _is_row(t):
        return value
    if op is None:
        return _constant_row(value, t)
    if len(found) < len(rows):
        return None
    said = describe(op)
    if isinstance(said, Broadcast):
        return found[0]
    shape = np.broadcast_shapes(*(read_type(row.type).shape for row in found))
    return create("ttir", said.mnemonic, found, said.attributes(), results=[t.with_shape(shape)]).results[0]


def _constant_row(value: ir.Value, t: TensorType) -> ir.Value | None:
    known = constant_elements(value)
    if known is None or not (known == known[..., :1, :]).all():
        return None
    of_row = t.with_shape((*t.shape[:-2], 1, t.shape[-1]))
    return ttir.constant(result=of_row, value=elements_attribute(known[..., :1, :], of_row))


def _is_row(t: TensorType) -> bool:
    return t.rank < len("rw") or t.shape[-2] == 1
