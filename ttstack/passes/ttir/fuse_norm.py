"""RMS norms that a model spells as elementwise ops and a mean."""

from typing import Any

from ttstack.dialects.base import attribute_values, describe
from ttstack.dialects.ttir.build import reshaped
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.types import read_type
from ttstack.mlir import ir
from ttstack.ops.normalization import RmsNorm
from ttstack.ops.reduction import Reduction
from ttstack.passes.ttir.producers import made_by, scalar, with_scalar


def rms_norm(op: ir.Operation) -> list[ir.Value] | None:
    """`x * rsqrt(mean(x * x) + epsilon)`, the mean over the last dimension."""
    for x, factor in (op.operands, reversed(op.operands)):
        root = made_by(factor, "rsqrt")
        shifted = root and made_by(root.operands[0], "add")
        if shifted is None or (found := with_scalar(shifted)) is None:
            continue
        mean, epsilon = found
        if _is_mean_square(mean, x) and read_type(op.results[0].type) == read_type(x.type):
            return [ttir.rms_norm(x, normalized_shape=read_type(x.type).shape[-1:], epsilon=epsilon)]
    return None


def scaled(op: ir.Operation) -> list[ir.Value] | None:
    """An RMS norm times a weight for each element of a row."""
    for normal, weight in (op.operands, reversed(op.operands)):
        norm, t = made_by(normal, "rms_norm"), read_type(weight.type)
        if norm is None or len(norm.operands) > 1 or t.shape != _row(op, t.rank):
            continue
        if t.dtype == read_type(normal.type).dtype:
            attributes = attribute_values(RmsNorm, norm)
            return [ttir.rms_norm(norm.operands[0], reshaped(weight, t.shape[-1:]), **attributes)]
    return None


def narrowed(op: ir.Operation) -> list[ir.Value] | None:
    """A norm of what is widened for it and narrowed after: the kernel widens and narrows by itself."""
    norm = made_by(op.operands[0], "rms_norm")
    if norm is None:
        return None
    x, target = made_by(norm.operands[0], "typecast"), read_type(op.results[0].type)
    if x is None or len(norm.operands) > 1 or read_type(x.operands[0].type) != target or not _widens(x):
        return None
    return [ttir.rms_norm(x.operands[0], **attribute_values(RmsNorm, norm))]


def _is_mean_square(value: ir.Value, x: ir.Value) -> bool:
    mean = made_by(value, "mean")
    if mean is None or not _is_square(mean.operands[0], x):
        return False
    found, rank = describe(mean), read_type(x.type).rank
    assert isinstance(found, Reduction)
    return rank > 0 and found.dims == (rank - 1,) and found.keep_dim


def _is_square(value: ir.Value, x: ir.Value) -> bool:
    match getattr(op := made_by(value, "square", "multiply", "pow"), "name", None):
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


def _widens(cast: Any) -> bool:
    before, after = read_type(cast.operands[0].type).dtype, read_type(cast.results[0].type).dtype
    return before.is_float and after.is_float and after.bits > before.bits


PATTERNS = (("ttir.multiply", rms_norm), ("ttir.multiply", scaled), ("ttir.typecast", narrowed))
