"""Recognition of L2 normalization, decomposed to elementwise ops and sums, as RMS norms."""

from ttstack.dialects.base import definition_of
from ttstack.dialects.ttir.build import before_broadcast, reshape_to, splat
from ttstack.mlir import ir
from ttstack.ops.reduction import Reduction
from ttstack.passes.rewriting.python_file import with_roots
from ttstack.passes.ttir.queries.compile_time import is_known
from ttstack.passes.ttir.queries.movement_chain import before_unit_dims
from ttstack.passes.ttir.queries.producers import find_producer, is_shared, with_scalar
from ttstack.passes.ttir.recognize.fuse_norm import inverse_root, is_square
from ttstack.patterns import pattern, read_type, ttir, views

_LARGEST_BOUND = 1e-6
"""Maximum bound: rows that are not much longer than it would differ from rows with its square added."""


@pattern
def over_norm(op: views.Div) -> ir.Value | None:
    """Match `x / max(sqrt(sum(x * x)), epsilon)`, without a bound, or with a number added to the sum."""
    column = before_broadcast(op.rhs)
    norm, bound = _bounded(column)
    root = views.Sqrt.of(before_unit_dims(norm))
    if root is None or not 0 <= bound <= _LARGEST_BOUND or is_shared(norm):
        return None
    return _normalized(op, op.lhs, column, root.input, bound**2)


@pattern
def times_inverse(op: views.Multiply) -> ir.Value | None:
    """Match `x * rsqrt(sum(x * x) + epsilon)`."""
    for x, factor in op.either_order:
        column = before_broadcast(factor)
        inside = inverse_root(column)
        if inside is not None and not is_shared(column) and (found := _normalized(op, x, column, inside, 0)):
            return found
    return None


def _bounded(value: ir.Value) -> tuple[ir.Value, float]:
    """Return `x` and the bound of `max(x, bound)`; the value and 0 without a bound."""
    bounded = find_producer(before_unit_dims(value), "maximum", "clamp_scalar")
    if bounded is None:
        return value, 0
    if bounded.name == "ttir.maximum":
        return with_scalar(bounded) or (value, 0)
    clamp = views.ClampScalar(bounded)
    return (clamp.input, clamp.min) if clamp.max == float("inf") else (value, 0)


def _normalized(op: views.View, x: ir.Value, column: ir.Value, inside: ir.Value, added: float) -> ir.Value | None:
    """Build the RMS norm times one over the root of the width; its epsilon is divided by the width too."""
    t, inside = read_type(x.type), before_unit_dims(inside)
    more = find_producer(inside, "add")
    terms = None if more is None else with_scalar(more)
    total = find_producer(before_unit_dims(inside if terms is None else terms[0]), "sum")
    if total is None or op.result_type != t or read_type(column.type).shape != (*t.shape[:-1], 1):
        return None
    reduction = definition_of(total)
    assert isinstance(reduction, Reduction)
    width = t.shape[-1]
    if reduction.dims != (t.rank - 1,) or not is_square(total.operands[0], x) or width == 1:
        return None
    weight = splat(width**-0.5, t.with_shape((width,)))
    epsilon = ((0 if terms is None else terms[1]) + added) / width
    return ttir.rms_norm(x, weight, normalized_shape=(width,), epsilon=epsilon)


@pattern
def fuse_factor(op: views.Multiply) -> ir.Value | None:
    """Fold a number, or a constant weight, into an RMS norm with a constant weight."""
    for normal, factor in op.either_order:
        norm, t, whole = views.RmsNorm.of(normal), read_type(factor.type), op.result_type
        if norm is None or norm.weight is None or norm.bias is not None or not norm.is_read_once:
            continue
        if not is_known(norm.weight) or not is_known(factor) or t.dtype != whole.dtype or norm.result_type != whole:
            continue
        if t.size in (1, whole.shape[-1]) and t.shape[-1:] in ((), (t.size,)):
            weight = ttir.multiply(norm.weight, reshape_to(factor, (t.size,)))
            return ttir.rms_norm(norm.input, weight, None, norm.residual, **norm.attributes)
    return None


PATTERNS = with_roots(over_norm, times_inverse, fuse_factor)
