"""The row of which all rows of a matrix are copies, as those of a mask that hides keys from all queries alike."""

from collections.abc import Sequence

import numpy as np

from ttstack.dialects.base import create, definition, definition_of
from ttstack.dialects.elements import elements_attribute
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.types import read_type
from ttstack.mlir import ir
from ttstack.ops.eltwise import Eltwise
from ttstack.ops.shape import Broadcast
from ttstack.ops.types import TensorType
from ttstack.passes.dataflow import Facts
from ttstack.passes.ttir.queries.compile_time import constant_elements


def row_type(value: ir.Value) -> TensorType | None:
    """[..., 1, width] of which all rows of the value are copies; None where nothing shows that they are."""
    return Facts(_repeats, _type).about(value)


def one_row(value: ir.Value) -> ir.Value:
    """That row, where there is one: elementwise ops on the way to it are made anew at the insertion point."""
    return Facts(_repeats, _build).about(value)


def _repeats(op: ir.Operation) -> bool:
    """Return True if an op computes equal rows from equal rows of its operands."""
    spec = definition(op)
    return spec is not None and issubclass(spec, Eltwise | Broadcast) and not _is_row(read_type(op.results[0].type))


def _type(value: ir.Value, op: ir.Operation | None, rows: Sequence[TensorType | None]) -> TensorType | None:
    t, row_types = read_type(value.type), [row for row in rows if row is not None]
    if _is_row(t):
        return t
    if op is None:
        elements = constant_elements(value)
        alike = elements is not None and (elements == elements[..., :1, :]).all()
        return t.with_shape((*t.shape[:-2], 1, t.shape[-1])) if alike else None
    return t.with_shape(_shape(row_types)) if len(row_types) == len(rows) else None


def _build(value: ir.Value, op: ir.Operation | None, rows: Sequence[ir.Value]) -> ir.Value:
    t = read_type(value.type)
    if _is_row(t):
        return value
    if op is None:
        elements = constant_elements(value)
        assert elements is not None
        row = elements[..., :1, :]
        return ttir.constant(result=t.with_shape(row.shape), value=elements_attribute(row, t.with_shape(row.shape)))
    described = definition_of(op)
    if isinstance(described, Broadcast):
        return rows[0]
    result = t.with_shape(_shape([read_type(row.type) for row in rows]))
    return create("ttir", described.mnemonic, rows, described.attributes(), results=[result]).results[0]


def _shape(rows: Sequence[TensorType]) -> tuple[int, ...]:
    return np.broadcast_shapes(*(row.shape for row in rows))


def _is_row(t: TensorType) -> bool:
    return t.rank < len("rw") or t.shape[-2] == 1
