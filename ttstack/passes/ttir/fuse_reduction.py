"""Means, softmax and layer norms that a model spells as elementwise ops and reductions."""

import math

from ttstack.dialects.base import attribute_values, describe, operands_by_place
from ttstack.dialects.ttir.build import reshape_to
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.types import read_type
from ttstack.mlir import ir
from ttstack.ops.normalization import LayerNorm, RmsNorm
from ttstack.ops.reduction import Reduction
from ttstack.passes.ttir.producers import find_producer, scalar


def mean(op: ir.Operation) -> list[ir.Value] | None:
    """A sum over the number of its terms."""
    total, count = find_producer(op.operands[0], "sum"), scalar(op.operands[1])
    if total is None or read_type(op.results[0].type) != read_type(op.operands[0].type):
        return None
    found = _reduction(total)
    if not found.input.dtype.is_float or count != math.prod(found.input.shape[d] for d in found.dims):
        return None
    return [ttir.mean(total.operands[0], keep_dim=found.keep_dim, dim_arg=found.dims)]


def softmax(op: ir.Operation) -> list[ir.Value] | None:
    """`e / sum(e)` with `e = exp(x - max(x))`, along one dimension."""
    numerator, total = op.operands
    exp, below = find_producer(numerator, "exp"), find_producer(total, "sum")
    shifted = exp and find_producer(exp.operands[0], "subtract")
    if shifted is None or below is None or below.operands[0] != numerator:
        return None
    x, largest = shifted.operands
    top = find_producer(largest, "max")
    dim = _kept(below)
    if top is None or top.operands[0] != x or dim is None or _kept(top) != dim:
        return None
    return [ttir.softmax(x, dimension=dim, numericStable=True)]


def layer_norm(op: ir.Operation) -> list[ir.Value] | None:
    """The RMS norm of `x - mean(x)`, the mean over the last dimension."""
    difference, found = find_producer(op.operands[0], "subtract"), describe(op)
    if difference is None or not isinstance(found, RmsNorm) or len(found.normalized_shape) != 1:
        return None
    x, middle = difference.operands
    average = find_producer(middle, "mean")
    if average is None or average.operands[0] != x or _kept(average) != read_type(x.type).rank - 1:
        return None
    return [ttir.layer_norm(x, *operands_by_place(RmsNorm, op)[1:], **attribute_values(RmsNorm, op))]


def fuse_weight(op: ir.Operation) -> list[ir.Value] | None:
    """A layer norm times a weight for each element of a row."""
    return _with_row(op, operands=1)


def fuse_bias(op: ir.Operation) -> list[ir.Value] | None:
    """A layer norm with its weight, plus a bias for each element of a row."""
    return _with_row(op, operands=2)


def _with_row(op: ir.Operation, *, operands: int) -> list[ir.Value] | None:
    """The row as one operand more of a layer norm that has so many, where nothing else reads that."""
    for normal, row in (op.operands, reversed(op.operands)):
        norm, t, whole = find_producer(normal, "layer_norm"), read_type(row.type), read_type(op.results[0].type)
        if norm is None or len(norm.operands) != operands or len(list(normal.uses)) > 1:
            continue
        if t.size == whole.shape[-1] == t.shape[-1] and t.dtype == whole.dtype == read_type(normal.type).dtype:
            given = [*norm.operands, reshape_to(row, t.shape[-1:])]
            return [ttir.layer_norm(*given, **attribute_values(LayerNorm, norm))]
    return None


def _reduction(op: ir.Operation) -> Reduction:
    found = describe(op)
    assert isinstance(found, Reduction)
    return found


def _kept(op: ir.Operation) -> int | None:
    """The only dimension of a reduction that keeps it."""
    found = _reduction(op)
    return found.dims[0] if found.keep_dim and len(found.dims) == 1 else None


PATTERNS = (
    ("ttir.div", mean),
    ("ttir.div", softmax),
    ("ttir.rms_norm", layer_norm),
    ("ttir.multiply", fuse_weight),
    ("ttir.add", fuse_bias),
)
