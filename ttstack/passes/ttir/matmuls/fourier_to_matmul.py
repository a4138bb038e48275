"""Discrete Fourier transforms as matmuls with constant matrices, by the fastest plan."""

from collections.abc import Iterator, Sequence
from functools import partial

from ttstack.dialects.base import definition_of
from ttstack.dialects.ttir import views
from ttstack.dialects.ttir.build import reshape_to
from ttstack.dialects.types import read_type
from ttstack.mlir import ir
from ttstack.ops.fourier import Fourier, RealFourier, frequencies
from ttstack.ops.shapes import axis
from ttstack.passes.base import Pass
from ttstack.passes.rewriting.candidates import Candidate
from ttstack.passes.rewriting.pattern import apply_patterns
from ttstack.passes.rewriting.rewrite import rewrite
from ttstack.passes.stages import Stage
from ttstack.passes.ttir.matmuls.fourier_plans import Plan, default_plan, plans
from ttstack.passes.ttir.matmuls.fourier_transform import FourierDirection, Pair, real_transform, transform

_LATER = {"decompose-fourier": "it takes the default plan"}


@rewrite("fourier-to-matmul", if_faster=True, stage=Stage.FORMS, before=_LATER)
def fourier_to_matmul(op: views.Fourier | views.RealFourier) -> Iterator[Candidate]:
    """`fourier(x)` = `x @ F`, or two shorter transforms with a multiplication between, whichever is predicted faster.

    A length `a * b` is `b` transforms of length `a`, a multiplication by twiddle factors, and `a` transforms of length
    `b` (Cooley and Tukey, 1965), with the first matrices to the left or to the right. A length with a large prime
    factor is a convolution with a chirp too (Bluestein, 1970).
    """
    for plan in plans(op.described.size):
        yield partial(_build, op.operation, plan)


class DecomposeFourier(Pass, name="decompose-fourier", stage=Stage.FORMS):
    """Decompose Fourier transforms to matmuls by the default plan, without prices."""

    def run(self, module: ir.Module) -> None:
        """Rewrite every transform."""
        apply_patterns(module, [(f"ttir.{op.mnemonic}", _by_default) for op in (Fourier, RealFourier)])


def _by_default(op: ir.Operation) -> Sequence[ir.Value]:
    described = definition_of(op)
    assert isinstance(described, Fourier | RealFourier)
    return _build(op, default_plan(described.size))


def _build(op: ir.Operation, plan: Plan) -> list[ir.Value]:
    """Build the results of a transform by a plan; a vector is transformed as a row."""
    described = definition_of(op)
    assert isinstance(described, Fourier | RealFourier)
    shape = read_type(op.operands[0].type).shape
    parts = [reshape_to(v, (1, *shape)) if len(shape) == 1 else v for v in op.operands]
    x = Pair(parts[0], parts[1] if len(parts) > 1 else None)
    dim = x.type.rank - len(shape) + axis(described.dim, len(shape))
    if isinstance(described, RealFourier):
        found = [real_transform(x, dim, described.size, plan, described.factor)]
    else:
        kept = frequencies(described.size) if described.onesided else None
        re, im = transform(x, dim, plan, FourierDirection(described.inverse), kept, described.factor)
        assert im is not None
        found = [re, im]
    return [reshape_to(v, t.shape) for v, t in zip(found, described.results, strict=True)]
