"""Replacement of one part of a concat by other rows, which are concatenated directly."""

import numpy as np

from ttstack.dialects.base import attribute_values
from ttstack.dialects.ttir.build import concat_along
from ttstack.dialects.types import read_type
from ttstack.mlir import ir
from ttstack.ops.base import OPS
from ttstack.passes.ttir.queries.compile_time import constant_elements
from ttstack.passes.ttir.queries.producers import concat_dim, find_producer


def replace_part(op: ir.Operation) -> list[ir.Value] | None:
    """Rewrite a scatter to exactly one part of a concat, such as the new row of a rolled sliding-window cache."""
    base, index, rows = op.operands
    joined, attributes = find_producer(base, "concat"), attribute_values(OPS["scatter"], op)
    t = read_type(rows.type)
    dim = attributes["dim"] % t.rank
    if joined is None or concat_dim(joined) != dim:
        return None
    others = [n for d, n in enumerate(read_type(base.type).shape) if d != dim]
    begin = _begin(index, dim)
    if attributes.get("scatter_reduce_type", "invalid") != "invalid" or begin is None:
        return None
    if read_type(index.type).shape != t.shape or [n for d, n in enumerate(t.shape) if d != dim] != others:
        return None
    parts, offset = list(joined.operands), 0
    for i, part in enumerate(parts):
        extent = read_type(part.type).shape[dim]
        if (offset, extent) == (begin, t.shape[dim]):
            return [concat_along([*parts[:i], rows, *parts[i + 1 :]], dim)]
        offset += extent
    return None


def _begin(index: ir.Value, dim: int) -> int | None:
    """Return the first of constant consecutive positions, equal in every line."""
    elements = constant_elements(index)
    if elements is None or not elements.size:
        return None
    lines = np.moveaxis(elements, dim, -1).reshape(-1, elements.shape[dim]).astype(np.int64)
    counted = lines[0, 0] + np.arange(lines.shape[1])
    return int(counted[0]) if (lines == counted).all() else None
