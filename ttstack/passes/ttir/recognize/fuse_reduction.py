"""Recognition of means, softmax and layer norms, decomposed to elementwise ops and reductions."""

import math

from ttstack.dialects.ttir.build import reshape_to
from ttstack.mlir import ir
from ttstack.passes.rewriting.python_file import with_roots
from ttstack.passes.ttir.queries.movement_chain import before_unit_dims
from ttstack.patterns import pattern, read_type, scalar, ttir, views


@pattern
def mean(op: views.Div) -> ir.Value | None:
    """Rewrite a sum divided by its number of terms to a mean."""
    total, count = views.Sum.of(op.lhs), scalar(op.rhs)
    if total is None or op.result_type != total.result_type:
        return None
    reduction = total.described
    if not reduction.input.dtype.is_float or count != math.prod(reduction.input.shape[d] for d in reduction.dims):
        return None
    return ttir.mean(total.input, keep_dim=reduction.keep_dim, dim_arg=reduction.dims)


@pattern
def softmax(op: views.Div) -> ir.Value | None:
    """Match `e / sum(e)` with `e = exp(x - max(x))`, along one dimension; `e` may be widened for the sum."""
    exp, below = views.Exp.of(op.lhs), views.Sum.of(_before_cast(op.rhs))
    shifted = exp and views.Subtract.of(exp.input)
    if shifted is None or below is None or op.lhs not in (below.input, _before_cast(below.input)):
        return None
    top, dim = views.Max.of(shifted.rhs), _kept(below)
    if dim is None:
        return None
    direct = top is not None and top.input == shifted.lhs and _kept(top) == dim
    if not direct and not (dim == read_type(shifted.lhs.type).rank - 1 and _is_top(shifted.rhs, shifted.lhs)):
        return None
    return ttir.softmax(shifted.lhs, dimension=dim, numericStable=True)


def _before_cast(value: ir.Value) -> ir.Value:
    """Return the operand of a cast between floating-point types; the value itself otherwise."""
    cast = views.Typecast.of(value)
    is_real = cast is not None and all(read_type(v.type).dtype.is_float for v in (cast.input, value))
    return cast.input if cast is not None and is_real else value


def _is_top(value: ir.Value, x: ir.Value) -> bool:
    """Return True for the maximum of each row, computed with unit dimensions at other positions."""
    top, shape = views.Max.of(before_unit_dims(value)), read_type(x.type).shape
    if top is None or read_type(value.type).shape != (*shape[:-1], 1) or shape[-1] == 1:
        return False
    reduction = top.described
    return before_unit_dims(top.input) == before_unit_dims(x) and reduction.dims == (reduction.input.rank - 1,)


@pattern
def layer_norm(op: views.RmsNorm) -> ir.Value | None:
    """Rewrite the RMS norm of `x - mean(x)`, with the mean over the last dimension, to a layer norm."""
    difference = views.Subtract.of(op.input)
    if difference is None or len(op.normalized_shape) != 1 or op.residual is not None:
        return None
    average = views.Mean.of(difference.rhs)
    if average is None or average.input != difference.lhs or _kept(average) != read_type(op.input.type).rank - 1:
        return None
    return ttir.layer_norm(difference.lhs, op.weight, op.bias, **op.attributes)


@pattern
def fuse_weight(op: views.Multiply) -> ir.Value | None:
    """Fold a weight per row element into a layer norm."""
    return _with_row(op, "weight")


@pattern
def fuse_bias(op: views.Add) -> ir.Value | None:
    """Fold a bias per row element into a layer norm with its weight."""
    return _with_row(op, "bias")


def _with_row(op: views.View, place: str) -> ir.Value | None:
    """Add a row as the next operand of a layer norm without other uses."""
    for normal, row in op.either_order:
        norm, t, whole = views.LayerNorm.of(normal), read_type(row.type), op.result_type
        if norm is None or not norm.is_read_once or (place == "bias") != (norm.weight is not None) or norm.bias:
            continue
        if t.size == whole.shape[-1] == t.shape[-1] and t.dtype == whole.dtype == norm.result_type.dtype:
            flat_row = reshape_to(row, t.shape[-1:])
            weight, bias = (flat_row, None) if norm.weight is None else (norm.weight, flat_row)
            return ttir.layer_norm(norm.input, weight, bias, norm.residual, **norm.attributes)
    return None


def _kept(op: views.View) -> int | None:
    """Return the only dimension of a reduction that keeps it."""
    reduction = op.described
    return reduction.dims[0] if reduction.keep_dim and len(reduction.dims) == 1 else None


PATTERNS = with_roots(mean, softmax, layer_norm, fuse_weight, fuse_bias)
