"""Folding of scale and shift per channel into a convolution's weight and bias: batch norms of trained models."""

from collections.abc import Callable

from ttstack.dialects.base import attribute_values, definition_of
from ttstack.dialects.ttir.build import reshape_to
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.ttir.destination import pure_producer
from ttstack.dialects.types import read_type
from ttstack.mlir import ir
from ttstack.ops.base import OPS
from ttstack.ops.conv import Convolution, ConvTranspose2d
from ttstack.ops.normalization import BatchNormInference
from ttstack.passes.base import Pass
from ttstack.passes.rewriting.pattern import apply_patterns
from ttstack.passes.stages import Stage
from ttstack.passes.ttir.queries.compile_time import is_known


class FoldBatchNorm(Pass, name="fold-batch-norm", optional=True, stage=Stage.FOLDED):
    """Fold a batch norm, or a constant scale or bias per channel, into the convolution before it.

    The new weight and bias depend only on parameters, and are computed by `fold-parameters`.
    """

    def run(self, module: ir.Module) -> None:
        """Rewrite to a fixpoint."""
        patterns = {"batch_norm_inference": _norm, "multiply": _factor, "add": _summand, "subtract": _difference}
        apply_patterns(module, [(f"ttir.{name}", pattern) for name, pattern in patterns.items()])


_Rewrite = Callable[[ir.Operation, Convolution, ir.Value], ir.Value]


def _norm(op: ir.Operation) -> list[ir.Value] | None:
    """`(x - mean) * factor + offset`, where the factor is `scale / sqrt(variance + epsilon)`."""
    norm, (x, scale, offset, mean, variance) = definition_of(op), op.operands
    assert isinstance(norm, BatchNormInference)
    conv = _convolution(x)
    if conv is None or norm.dimension % norm.operand.rank != conv.order[-1]:
        return None
    if not all(map(is_known, (scale, offset, mean, variance))):
        return None
    scale, offset, mean, variance = (reshape_to(v, (conv.out_channels,)) for v in (scale, offset, mean, variance))
    spread = read_type(variance.type)
    epsilon = ttir.full(result=spread, shape=spread.shape, fill_value=norm.epsilon)
    factor = ttir.multiply(scale, ttir.rsqrt(ttir.add(variance, epsilon)))
    shift = ttir.subtract(offset, ttir.multiply(mean, factor))
    return [_rewritten(ir.OpResult(x).owner.operation, conv, factor, shift)]


def _factor(op: ir.Operation) -> list[ir.Value] | None:
    return _with_known(op, lambda owner, conv, values: _rewritten(owner, conv, values, None))


def _summand(op: ir.Operation) -> list[ir.Value] | None:
    return _with_known(op, lambda owner, conv, values: _rewritten(owner, conv, None, values))


def _difference(op: ir.Operation) -> list[ir.Value] | None:
    """Fold the subtraction of a constant from a convolution."""
    if _convolution(op.operands[0]) is None:
        return None
    return _with_known(op, lambda owner, conv, values: _rewritten(owner, conv, None, ttir.neg(values)))


def _with_known(op: ir.Operation, rewrite: _Rewrite) -> list[ir.Value] | None:
    """Apply `rewrite` to the convolution and a constant with one value per channel."""
    for x, values in (op.operands, reversed(op.operands)):
        conv = _convolution(x)
        if conv is None or read_type(op.results[0].type) != conv.results[0]:
            continue
        channels = _by_channel(conv, read_type(values.type).shape)
        if channels and is_known(values):
            return [rewrite(ir.OpResult(x).owner.operation, conv, reshape_to(values, (conv.out_channels,)))]
    return None


def _by_channel(conv: Convolution, shape: tuple[int, ...]) -> bool:
    """Return True if operands of that shape have exactly one value for each channel of the result."""
    rank = len(conv.spatial) + 2
    wanted = tuple(conv.out_channels if d == conv.order[-1] else 1 for d in range(rank))
    return (1,) * (rank - len(shape)) + shape == wanted


def _convolution(value: ir.Value) -> Convolution | None:
    """Return the convolution that computes a value with one use, if its weight and bias are constant."""
    owner = pure_producer(value)
    if owner is None or len(list(value.uses)) > 1 or not owner.name.startswith("ttir.conv"):
        return None
    conv = definition_of(owner)
    if not isinstance(conv, Convolution) or conv.activation or not all(map(is_known, list(owner.operands)[1:])):
        return None
    return conv


def _rewritten(owner: ir.Operation, conv: Convolution, factor: ir.Value | None, shift: ir.Value | None) -> ir.Value:
    """Build the convolution times `factor` plus `shift`, each [channels]."""
    x, weight, *rest = owner.operands
    bias = rest[0] if rest else None
    if factor is not None:
        weight = _scale(conv, weight, factor)
        bias = None if bias is None else ttir.multiply(reshape_to(bias, (conv.out_channels,)), factor)
    elif bias is not None:
        bias = reshape_to(bias, (conv.out_channels,))
    if shift is not None:
        bias = shift if bias is None else ttir.add(bias, shift)
    if bias is not None:
        bias = reshape_to(bias, (*(1,) * (len(conv.spatial) + 1), conv.out_channels))
    attributes = attribute_values(OPS[conv.mnemonic], owner)
    with owner.location:
        return ttir.build(conv.mnemonic, x, weight, bias, **attributes)


def _scale(conv: Convolution, weight: ir.Value, factor: ir.Value) -> ir.Value:
    """Multiply the weight of every output channel by its factor.

    Transposed weights have groups in the first dimension.
    """
    shape = conv.weight.shape
    if not isinstance(conv, ConvTranspose2d):
        return ttir.multiply(weight, reshape_to(factor, (shape[0], *(1,) * (len(shape) - 1))))
    groups, each = conv.groups, shape[1]
    apart = reshape_to(weight, (groups, shape[0] // groups, each, shape[2] * shape[3]))
    return reshape_to(ttir.multiply(apart, reshape_to(factor, (groups, 1, each, 1))), shape)
