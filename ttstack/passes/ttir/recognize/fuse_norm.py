"""Recognition of RMS norms, and of layer norms by the mean of squares, decomposed to elementwise ops and means."""

from ttstack.dialects.base import definition_of
from ttstack.dialects.ttir.build import reshape_to
from ttstack.mlir import ir
from ttstack.ops.reduction import Reduction
from ttstack.passes.rewriting.python_file import with_roots
from ttstack.passes.ttir.queries.movement_chain import before_unit_dims
from ttstack.passes.ttir.queries.producers import find_producer, with_scalar
from ttstack.patterns import pattern, read_type, scalar, ttir, views


@pattern
def rms_norm(op: views.Multiply) -> ir.Value | None:
    """Match `x * rsqrt(mean(x * x) + epsilon)`, with the mean over the last dimension; the root may be scaled first."""
    for x, factor in op.either_order:
        if (root := _scaled_root(factor, op)) is not None:
            shifted, *scale = root
            return _normalized(op, x, shifted, scale)
    return None


@pattern
def fuse_division(op: views.Div) -> ir.Value | None:
    """Match `x / sqrt(mean(x * x) + epsilon)`."""
    root = views.Sqrt.of(op.rhs)
    return root and _normalized(op, op.lhs, root.input, [])


def _normalized(op: views.View, x: ir.Value, shifted: ir.Value, scale: list[ir.Value]) -> ir.Value | None:
    """Build the norm of `x` by the root of `shifted`: a layer norm if that is the variance of `x` before centring."""
    total = find_producer(before_unit_dims(shifted), "add")
    if total is None or (terms := with_scalar(total)) is None or op.result_type != read_type(x.type):
        return None
    if not _is_column(shifted, x):
        return None
    square, epsilon = terms
    name, whole = "rms_norm", x
    if not _is_mean_square(square, x):
        name, whole = "layer_norm", centred_operand(x)
        if whole is None or not _is_variance(square, whole):
            return None
    row = (_as_row(v) for v in scale)
    return ttir.build(name, whole, *row, normalized_shape=read_type(x.type).shape[-1:], epsilon=epsilon)


def centred_operand(value: ir.Value) -> ir.Value | None:
    """Return `x` of a value `x - mean(x)`, with the mean over the last dimension."""
    difference = find_producer(value, "subtract")
    if difference is None or not _is_column(difference.operands[1], difference.operands[0]):
        return None
    return difference.operands[0] if _is_mean(difference.operands[1], difference.operands[0]) else None


def _is_column(value: ir.Value, x: ir.Value) -> bool:
    """Return True if the value has the shape of `x` with one element per row."""
    return read_type(value.type).shape == (*read_type(x.type).shape[:-1], 1)


def _is_variance(value: ir.Value, x: ir.Value) -> bool:
    """Return True for `mean(x * x) - mean(x) * mean(x)`, possibly with a minimum of 0."""
    bounded = find_producer(before_unit_dims(value), "maximum", "relu")
    if bounded is not None and bounded.name == "ttir.relu":
        value = bounded.operands[0]
    elif bounded is not None and (terms := with_scalar(bounded)) is not None and terms[1] == 0:
        value = terms[0]
    difference = find_producer(before_unit_dims(value), "subtract")
    if difference is None or not _is_mean_square(difference.operands[0], x):
        return False
    square = find_producer(difference.operands[1], "square", "multiply", "pow")
    return square is not None and _is_mean(square.operands[0], x) and is_square(square.results[0], square.operands[0])


def _scaled_root(value: ir.Value, op: views.View) -> tuple[ir.Value, ...] | None:
    """Return `x` of a value `rsqrt(x)`, or `x` and `row` of a value `rsqrt(x) * row`."""
    if (inside := inverse_root(value)) is not None:
        return (inside,)
    product = find_producer(value, "multiply")
    for root, row in (product.operands, reversed(product.operands)) if product is not None else ():
        t, inside = read_type(row.type), inverse_root(root)
        if inside is not None and t.shape == _row(op, t.rank) and t.dtype == read_type(value.type).dtype:
            return inside, row
    return None


def inverse_root(value: ir.Value) -> ir.Value | None:
    """Return `x` of a value that is one over the root of `x`."""
    if (root := find_producer(value, "rsqrt")) is not None:
        return root.operands[0]
    over = find_producer(value, "reciprocal", "div")
    if over is None or (over.name == "ttir.div" and scalar(over.operands[0]) != 1):
        return None
    root = find_producer(list(over.operands)[-1], "sqrt")
    return root and root.operands[0]


def _as_row(value: ir.Value) -> ir.Value:
    return reshape_to(value, read_type(value.type).shape[-1:])


@pattern
def fuse_weight(op: views.Multiply) -> ir.Value | None:
    """Fold a weight per row element into an RMS norm."""
    for normal, weight in op.either_order:
        norm, t = views.RmsNorm.of(normal), read_type(weight.type)
        if norm is None or len(norm.operation.operands) > 1 or t.shape != _row(op, t.rank):
            continue
        if t.dtype == norm.result_type.dtype:
            return ttir.rms_norm(norm.input, reshape_to(weight, t.shape[-1:]), **norm.attributes)
    return None


@pattern
def fuse_casts(op: views.Typecast) -> ir.Value | None:
    """Remove casts around a norm, whose kernel widens and narrows by itself."""
    norm = views.RmsNorm.of(op.input) or views.LayerNorm.of(op.input)
    cast = norm and views.Typecast.of(norm.input)
    if norm is None or cast is None or read_type(cast.input.type) != op.result_type or not _widens(cast):
        return None
    if norm.residual is not None:
        return None
    return ttir.build(norm.definition.mnemonic, cast.input, norm.weight, norm.bias, **norm.attributes)


def _is_mean_square(value: ir.Value, x: ir.Value) -> bool:
    mean = find_producer(before_unit_dims(value), "mean")
    return mean is not None and is_square(mean.operands[0], x) and _is_mean(value, mean.operands[0])


def _is_mean(value: ir.Value, x: ir.Value) -> bool:
    """Return True for the mean of `x` over its last dimension, wherever its unit dimensions are."""
    mean = find_producer(before_unit_dims(value), "mean")
    if mean is None or mean.operands[0] != x:
        return False
    reduction, rank = definition_of(mean), read_type(x.type).rank
    assert isinstance(reduction, Reduction)
    return rank > 0 and reduction.dims == (rank - 1,)


def is_square(value: ir.Value, x: ir.Value) -> bool:
    """Return True for `x * x`."""
    op = find_producer(value, "square", "multiply", "pow")
    if op is None:
        return False
    match op.name:
        case "ttir.square":
            return op.operands[0] == x
        case "ttir.multiply":
            return op.operands[0] == x and op.operands[1] == x
        case "ttir.pow":
            return op.operands[0] == x and scalar(op.operands[1]) == 2
    return False


def _row(op: views.View, rank: int) -> tuple[int, ...]:
    """Return the shape of one value for each element of the result's rows."""
    return (*(1,) * (rank - 1), *op.result_type.shape[-1:])


def _widens(cast: views.Typecast) -> bool:
    before, after = read_type(cast.input.type).dtype, cast.result_type.dtype
    return before.is_float and after.is_float and after.bits > before.bits


PATTERNS = with_roots(rms_norm, fuse_division, fuse_weight, fuse_casts)
