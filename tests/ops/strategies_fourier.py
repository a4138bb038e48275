"""What can be drawn for Fourier transforms."""

from hypothesis import strategies as st

from tests.ops.case import Case
from tests.ops.draws import Draw, axis_of, for_ops, tensors
from ttstack.ops import fourier
from ttstack.ops.types import DType


@for_ops(fourier.Transform)
def _transform(draw: Draw, mnemonic: str) -> Case:
    t = draw(tensors((DType.F32, DType.F64), least=1))
    attributes = {"dim": axis_of(draw, t.rank), "divisor": draw(st.sampled_from((1, 7))), "root": draw(st.booleans())}
    im = t if draw(st.booleans()) else None
    if mnemonic == "real_fourier":
        extent = t.shape[attributes["dim"]]
        return Case(mnemonic, (t, im), attributes | {"size": max(1, 2 * extent - 2 + draw(st.integers(0, 1)))})
    return Case(mnemonic, (t, im), attributes | {"inverse": draw(st.booleans()), "onesided": draw(st.booleans())})
