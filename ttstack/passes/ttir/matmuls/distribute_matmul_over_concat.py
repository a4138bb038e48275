"""Matmuls of concatenated features as a sum of matmuls, each at the resolution of its features."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce

from ttstack.dialects.base import definition_of
from ttstack.dialects.ttir import views
from ttstack.dialects.ttir.build import reshape_to, slice_along
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.ttir.destination import pure_producer
from ttstack.dialects.types import read_type
from ttstack.mlir import ir
from ttstack.ops.pool import Upsample2d
from ttstack.passes.rewriting.rewrite import rewrite
from ttstack.passes.stages import Stage
from ttstack.passes.ttir.matmuls.merged_matmul import has_known_columns
from ttstack.passes.ttir.queries.aliases import VIEWS
from ttstack.passes.ttir.queries.producers import is_shared

_ENLARGED = "ttir.upsample2d"


@rewrite(
    "distribute-matmul-over-concat",
    if_faster=True,
    placed=True,
    stage=Stage.MATMULS,
    after={"pointwise-convolution-to-matmul": "pointwise convolutions are distributed too"},
)
def distribute_matmul_over_concat(op: views.Matmul | views.Linear) -> ir.Value | None:
    """`matmul(concat(upsample(x), y), w)` = `upsample(matmul(x, w[:k])) + matmul(y, w[k:])`, if `w` is a constant.

    A decoder of several resolutions then multiplies features at their own resolution, without a concatenation.
    """
    matmul, concat = op.described, views.Concat.of(op.operation.operands[0])
    if concat is None or not concat.is_read_once or matmul.transpose_a or not has_known_columns(op.operation, matmul):
        return None
    parts = [_channels(value) for value in concat.operation.operands]
    if concat.described.dim % matmul.a.rank != matmul.a.rank - 1 or not any(part.steps for part in parts):
        return None
    _, weight, *bias = op.operation.operands
    slices, begin = list[ir.Value](), 0
    for part in parts:
        end = begin + read_type(part.source.type).shape[-1]
        slices.append(slice_along(weight, int(matmul.transpose_b), begin, end))
        begin = end
    full_size = next((i for i, part in enumerate(parts) if not part.steps), 0)  # a bias there is added to the sum
    terms = list[ir.Value]()
    for i, (part, matrix) in enumerate(zip(parts, slices, strict=True)):
        build = ttir.linear if bias and i == full_size else ttir.matmul
        operands = (part.source, matrix, *(bias if i == full_size else ()))
        terms.append(part.enlarge(build(*operands, transpose_b=matmul.transpose_b)))
    return reduce(ttir.add, terms)


@dataclass(frozen=True)
class _Channels:
    """Channels of an image before upsampling, and the steps from there."""

    source: ir.Value
    steps: Sequence[ir.Operation]

    def enlarge(self, value: ir.Value) -> ir.Value:
        """Apply the steps to a value that may have a different number of channels."""
        for step in self.steps:
            with step.location:
                value = _apply(step, value)
        return value


def _channels(value: ir.Value) -> _Channels:
    """Trace reshapes and upsampling that keep channels separate, back to the operand of the first upsampling."""
    source, steps, walked = value, list[ir.Operation](), list[ir.Operation]()
    while (op := pure_producer(value, _ENLARGED, *VIEWS)) is not None and not is_shared(value):
        (operand,) = op.operands
        if read_type(operand.type).shape[-1:] != read_type(value.type).shape[-1:]:
            break
        walked.insert(0, op)
        value = operand
        if op.name == _ENLARGED:
            source, steps = operand, [*walked]
    return _Channels(source, steps)


def _apply(step: ir.Operation, value: ir.Value) -> ir.Value:
    op = definition_of(step)
    if isinstance(op, Upsample2d):
        return ttir.upsample2d(value, **op.attributes())
    return reshape_to(value, (*op.results[0].shape[:-1], read_type(value.type).shape[-1]))
