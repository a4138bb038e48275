"""In-place writes of rows into caches of keys and values, instead of copies."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from ttstack.dialects.base import attribute_values, definition_of
from ttstack.dialects.built_ops import insert_before
from ttstack.dialects.defining_op import defining_op
from ttstack.dialects.elements import elements_attribute, read_elements
from ttstack.dialects.ttir.build import reshape_to
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.types import read_type
from ttstack.mlir import ir
from ttstack.ops.base import OPS
from ttstack.ops.types import DType, TensorType
from ttstack.passes.base import Pass
from ttstack.passes.functions import body, functions
from ttstack.passes.stages import Stage
from ttstack.passes.ttir.facts.slot_mapping import before_views
from ttstack.passes.ttir.queries.producers import concat_dim

_LENGTH = 2
"""The dimension of a cache [users, heads, length, depth] that indexes rows."""

_REPLACE = "invalid"
"""The kind of scatter that replaces present values."""


@dataclass(frozen=True)
class _RowUpdate:
    """Rows that `op` writes into a copy of a cache, from a constant or computed position."""

    op: ir.Operation
    base: ir.Value
    values: ir.Value
    position: int | ir.Value


class CacheUpdates(
    Pass,
    name="cache-updates",
    stage=Stage.STATE,
    after={"split-state-buffers": "the cache of each layer is a separate buffer"},
):
    """Rewrite `cache = scatter(cache, rows)` to `update_cache`, or to `fill_cache` if it starts at position 0.

    It runs after `version-buffers`: each write returns a new value, and other uses keep the old one.
    """

    def run(self, module: ir.Module) -> None:
        """Rewrite every assignment of every function."""
        for function in functions(module):
            for op in body(function):
                if op.name == "ttir.assign" and len(op.results) and read_type(op.operands[0].type).rank == 4:
                    _write_in_place(op)


def _write_in_place(assign: ir.Operation) -> None:
    cache, value = assign.operands
    for step in (steps := _steps(cache, value)):
        with insert_before(step.op):
            cache = _write(cache, step)
        step.op.results[0].replace_all_uses_with(cache)
    if steps:
        assign.results[0].replace_all_uses_with(cache)
        assign.erase()


def _steps(cache: ir.Value, value: ir.Value) -> list[_RowUpdate]:
    """Return the writes that produce `value` from `cache`, in order; none if other ops are involved."""
    steps: list[_RowUpdate] = []
    while value != cache:
        op = defining_op(value)
        step = None if op is None else _scatter(op) or _join(op)
        if step is None:
            return []
        steps.insert(0, step)
        value = step.base
    return steps


def _scatter(op: ir.Operation) -> _RowUpdate | None:
    """Return rows at an index that is one number, or consecutive."""
    if op.name != "ttir.scatter":
        return None
    base, index, source = op.operands
    attributes = attribute_values(OPS["scatter"], op)
    whole, rows = read_type(base.type), read_type(source.type)
    all_rows = read_type(index.type).shape == rows.shape
    agree = all(d == _LENGTH or a == b for d, (a, b) in enumerate(zip(whole.shape, rows.shape, strict=True)))
    replaces = attributes.get("scatter_reduce_type", _REPLACE) == _REPLACE
    if attributes["dim"] % 4 != _LENGTH or not (all_rows and agree and replaces):
        return None
    line = _line(index, rows.shape[_LENGTH])
    return None if line is None else _RowUpdate(op, base, source, line)


def _line(index: ir.Value, count: int) -> int | ir.Value | None:
    """Return the first of `count` consecutive positions of an index that repeats them for every row."""
    if (wide := defining_op(index, "ttir.broadcast")) is not None:
        index = wide.operands[0]
    if read_type(index.type).shape != (1, 1, count, 1):
        return None
    index = before_views(index)
    if (positions := _constant_positions(index)) is not None:
        return int(positions[0]) if positions[0] >= 0 and (np.diff(positions) == 1).all() else None
    return index if count == 1 else None


def _constant_positions(index: ir.Value) -> np.ndarray[Any, Any] | None:
    if (counter := defining_op(index, "ttir.arange")) is not None and read_type(index.type).rank == 1:
        counts = definition_of(counter).attributes()
        return counts["start"] + counts["step"] * np.arange(read_type(index.type).size)
    if (constant := defining_op(index, "ttir.constant")) is not None:
        return read_elements(constant.attributes["value"]).reshape(-1).astype(np.int64)
    return None


def _join(op: ir.Operation) -> _RowUpdate | None:
    """Return rows between two slices of the cache."""
    if op.name != "ttir.concat" or concat_dim(op) != _LENGTH:
        return None
    whole, offset = read_type(op.results[0].type), 0
    bases, rows = set[ir.Value](), list[tuple[ir.Value, int]]()
    for part in op.operands:
        extent = read_type(part.type).shape[_LENGTH]
        if (base := _cut_from(part, whole, offset, offset + extent)) is not None:
            bases.add(base)
        else:
            rows.append((part, offset))
        offset += extent
    if len(bases) != 1 or len(rows) != 1:
        return None
    ((values, position),) = rows
    return _RowUpdate(op, bases.pop(), values, position)


def _cut_from(part: ir.Value, whole: TensorType, begin: int, end: int) -> ir.Value | None:
    """Return the tensor of a type of which a value is the slice from `begin` to `end`; None if it is not."""
    cut = defining_op(part, "ttir.slice_static")
    if cut is None or read_type(cut.operands[0].type) != whole:
        return None
    low, high = [0] * 4, list(whole.shape)
    low[_LENGTH], high[_LENGTH] = begin, end
    bounds = {"begins": tuple(low), "ends": tuple(high), "step": (1,) * 4}
    return cut.operands[0] if definition_of(cut).attributes() == bounds else None


def _write(cache: ir.Value, rows: _RowUpdate) -> ir.Value:
    """Write the rows into the cache and return it."""
    whole = read_type(cache.type)
    if rows.position == 0:
        return ttir.fill_cache(cache, rows.values, batch_offset=0, result=whole)
    t = TensorType((1,), DType.I32)
    if isinstance(rows.position, int):
        index = ttir.constant(result=t, value=elements_attribute(np.array([rows.position]), t))
    else:
        index = reshape_to(rows.position, t.shape)
    return ttir.update_cache(cache, rows.values, index, batch_offset=0, result=whole)
