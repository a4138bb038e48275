"""RMS norms, and layer norms by the mean of squares, that a model spells as elementwise ops and means."""

from ttstack.dialects.base import attribute_values, describe
from ttstack.dialects.ttir.build import reshape_to
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.types import read_type
from ttstack.mlir import ir
from ttstack.ops.normalization import RmsNorm
from ttstack.ops.reduction import Reduction
from ttstack.passes.ttir.producers import find_producer, scalar, with_scalar


def rms_norm(op: ir.Operation) -> list[ir.Value] | None:
    """`x * rsqrt(mean(x * x) + epsilon)`, the mean over the last dimension; the root may be scaled first."""
    for x, factor in (op.operands, reversed(op.operands)):
        if (found := _scaled_root(factor, op)) is not None:
            shifted, *scale = found
            return _normalized(op, x, shifted, scale)
    return None


def fuse_division(op: ir.Operation) -> list[ir.Value] | None:
    """`x / sqrt(mean(x * x) + epsilon)`."""
    x, root = op.operands
    sqrt = find_producer(root, "sqrt")
    return sqrt and _normalized(op, x, sqrt.operands[0], [])


def _normalized(op: ir.Operation, x: ir.Value, shifted: ir.Value, scale: list[ir.Value]) -> list[ir.Value] | None:
    """The norm of `x` by the root of `shifted`; a layer norm where that is the variance of what `x` is centred of."""
    total = find_producer(shifted, "add")
    if total is None or (found := with_scalar(total)) is None or read_type(op.results[0].type) != read_type(x.type):
        return None
    square, epsilon = found
    name, whole = "rms_norm", x
    if not _is_mean_square(square, x):
        name, whole = "layer_norm", centred_operand(x)
        if whole is None or not _is_variance(square, whole):
            return None
    row = (_as_row(v) for v in scale)
    return [ttir.build(name, whole, *row, normalized_shape=read_type(x.type).shape[-1:], epsilon=epsilon)]


def centred_operand(value: ir.Value) -> ir.Value | None:
    """`x`, of which the value is `x - mean(x)`, the mean over the last dimension."""
    difference = find_producer(value, "subtract")
    if difference is None or not _is_mean(difference.operands[1], difference.operands[0]):
        return None
    return difference.operands[0]


def _is_variance(value: ir.Value, x: ir.Value) -> bool:
    """`mean(x * x) - mean(x) * mean(x)`, or 0 where that is less."""
    bounded = find_producer(value, "maximum")
    if bounded is not None and (found := with_scalar(bounded)) is not None and found[1] == 0:
        value = found[0]
    difference = find_producer(value, "subtract")
    if difference is None or not _is_mean_square(difference.operands[0], x):
        return False
    square = find_producer(difference.operands[1], "square", "multiply", "pow")
    return square is not None and _is_mean(square.operands[0], x) and _is_square(square.results[0], square.operands[0])


def _scaled_root(value: ir.Value, op: ir.Operation) -> tuple[ir.Value, ...] | None:
    """What the value is one over the root of, and the row that this is multiplied with, if there is one."""
    if (inside := _inverse_root(value)) is not None:
        return (inside,)
    product = find_producer(value, "multiply")
    for root, row in (product.operands, reversed(product.operands)) if product is not None else ():
        t, inside = read_type(row.type), _inverse_root(root)
        if inside is not None and t.shape == _row(op, t.rank) and t.dtype == read_type(value.type).dtype:
            return inside, row
    return None


def _inverse_root(value: ir.Value) -> ir.Value | None:
    """`x`, of which the value is one over the root."""
    if (root := find_producer(value, "rsqrt")) is not None:
        return root.operands[0]
    over = find_producer(value, "reciprocal", "div")
    if over is None or (over.name == "ttir.div" and scalar(over.operands[0]) != 1):
        return None
    root = find_producer(list(over.operands)[-1], "sqrt")
    return root and root.operands[0]


def _as_row(value: ir.Value) -> ir.Value:
    return reshape_to(value, read_type(value.type).shape[-1:])


def fuse_weight(op: ir.Operation) -> list[ir.Value] | None:
    """An RMS norm times a weight for each element of a row."""
    for normal, weight in (op.operands, reversed(op.operands)):
        norm, t = find_producer(normal, "rms_norm"), read_type(weight.type)
        if norm is None or len(norm.operands) > 1 or t.shape != _row(op, t.rank):
            continue
        if t.dtype == read_type(normal.type).dtype:
            attributes = attribute_values(RmsNorm, norm)
            return [ttir.rms_norm(norm.operands[0], reshape_to(weight, t.shape[-1:]), **attributes)]
    return None


def fuse_casts(op: ir.Operation) -> list[ir.Value] | None:
    """A norm of what is widened for it and narrowed after: the kernel widens and narrows by itself."""
    norm = find_producer(op.operands[0], "rms_norm")
    if norm is None:
        return None
    x, target = find_producer(norm.operands[0], "typecast"), read_type(op.results[0].type)
    if x is None or len(norm.operands) > 1 or read_type(x.operands[0].type) != target or not _widens(x):
        return None
    return [ttir.rms_norm(x.operands[0], **attribute_values(RmsNorm, norm))]


def _is_mean_square(value: ir.Value, x: ir.Value) -> bool:
    mean = find_producer(value, "mean")
    return mean is not None and _is_square(mean.operands[0], x) and _is_mean(value, mean.operands[0])


def _is_mean(value: ir.Value, x: ir.Value) -> bool:
    """Whether it is the mean of `x` over its last dimension, which is kept."""
    mean = find_producer(value, "mean")
    if mean is None or mean.operands[0] != x:
        return False
    found, rank = describe(mean), read_type(x.type).rank
    assert isinstance(found, Reduction)
    return rank > 0 and found.dims == (rank - 1,) and found.keep_dim


def _is_square(value: ir.Value, x: ir.Value) -> bool:
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


def _row(op: ir.Operation, rank: int) -> tuple[int, ...]:
    """The shape of one value for each element of the result's rows."""
    return (*(1,) * (rank - 1), *read_type(op.results[0].type).shape[-1:])


def _widens(cast: ir.Operation) -> bool:
    before, after = read_type(cast.operands[0].type).dtype, read_type(cast.results[0].type).dtype
    return before.is_float and after.is_float and after.bits > before.bits


PATTERNS = (
    ("ttir.multiply", rms_norm),
    ("ttir.div", fuse_division),
    ("ttir.multiply", fuse_weight),
    ("ttir.typecast", fuse_casts),
)
