"""Rows with each element twice, adjacent or half a row apart: tables of angles of pairs."""

import numpy as np

from ttstack.dialects.base import attribute_values, create, definition, definition_of
from ttstack.dialects.elements import read_elements
from ttstack.dialects.ttir.build import broadcast_to, constant, reshape_to
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.ttir.destination import pure_producer
from ttstack.dialects.types import read_type
from ttstack.mlir import ir
from ttstack.ops.base import OPS
from ttstack.ops.eltwise import Eltwise
from ttstack.passes.ttir.queries.aliases import VIEWS
from ttstack.passes.ttir.queries.compile_time import is_known
from ttstack.passes.ttir.queries.producers import find_producer


def double(value: ir.Value, *, halves: bool = False) -> ir.Value:
    """Repeat each element of a row twice, adjacent or half a row apart.

    Values that are computed from constants, or looked up in a constant table, are doubled at their source. Halves of
    other tensors, such as a model's frequencies, are concatenated last, so that computed tables keep their format.
    """
    t, op = read_type(value.type), pure_producer(value)
    width = t.shape[-1]
    if op is not None and op.name == "ttir.constant":
        elements = read_elements(op.attributes["value"]).reshape(t.shape)
        twice = np.concatenate([elements, elements], -1) if halves else np.repeat(elements, 2, -1)
        return constant(twice, t.with_shape((*t.shape[:-1], 2 * width)))
    if op is not None and op.name in VIEWS and _shape(op.operands[0])[-1:] == t.shape[-1:]:
        return reshape_to(double(op.operands[0], halves=halves), (*t.shape[:-1], 2 * width))
    if op is not None and op.name == "ttir.embedding" and is_known(op.operands[1]):
        return ttir.embedding(op.operands[0], double(op.operands[1], halves=halves))
    if op is not None and _is_elementwise(op) and width > 1 and (not halves or _is_of_constants(value)):
        operands = [double(v, halves=halves) if _shape(v)[-1:] == (width,) else v for v in op.operands]
        spec, wide = OPS[op.name.removeprefix("ttir.")], t.with_shape((*t.shape[:-1], 2 * width))
        declared = [wide] if definition_of(op).result_fields() else []
        return create("ttir", spec.mnemonic, operands, attribute_values(spec, op), results=declared).results[0]
    if halves:
        return ttir.concat(value, value, dim=-1)
    pairs = broadcast_to(reshape_to(value, (*t.shape, 1)), (*t.shape, 2))
    return reshape_to(pairs, (*t.shape[:-1], 2 * width))


def _is_of_constants(value: ir.Value) -> bool:
    """Return True if each element of a row is computed from constants, or from a compile-time table."""
    op, width = pure_producer(value), _shape(value)[-1:]
    if op is None or op.name == "ttir.constant":
        return op is not None
    if op.name == "ttir.embedding":
        return is_known(op.operands[1])
    if op.name not in VIEWS and not _is_elementwise(op):
        return False
    return all(_is_of_constants(v) for v in op.operands if _shape(v)[-1:] == width)


def _is_elementwise(op: ir.Operation) -> bool:
    spec = definition(op)
    return spec is not None and issubclass(spec, Eltwise) and len(op.results) == 1


def find_single(value: ir.Value) -> ir.Value | None:
    """Return a tensor each of whose row elements occurs twice in the value; None if there is none."""
    shape = _shape(value)
    view = pure_producer(value, *VIEWS)
    wide = find_producer(view and view.operands[0], "broadcast")
    lines = (*shape[:-1], shape[-1] // 2)
    if wide is None or _shape(wide.results[0]) != (*lines, 2) or _shape(wide.operands[0]) != (*lines, 1):
        return None
    source = pure_producer(wide.operands[0], *VIEWS)
    if source is not None and _shape(source.operands[0]) == lines:
        return source.operands[0]
    return reshape_to(wide.operands[0], lines)


def _shape(value: ir.Value) -> tuple[int, ...]:
    return read_type(value.type).shape
