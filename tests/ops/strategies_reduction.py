"""What can be drawn for reductions, scans and softmax."""

from typing import Any

from hypothesis import strategies as st

from tests.ops.case import Case
from tests.ops.draws import REALS, Draw, axis_of, for_ops, subset, tensors
from ttstack.ops import reduction
from ttstack.ops.types import DType, TensorType


@for_ops(reduction.Reduction)
def _reduction(draw: Draw, mnemonic: str) -> Case:
    t = draw(tensors((DType.F32, DType.BF16, DType.I32) if mnemonic != "mean" else REALS))
    attributes: dict[str, Any] = {"keep_dim": draw(st.booleans())}
    if draw(st.booleans()):
        attributes["dim_arg"] = subset(draw, t.rank)
    return Case(mnemonic, (t,), attributes)


@for_ops(reduction.Argmax)
def _argmax(draw: Draw, mnemonic: str) -> Case:
    t, keep = draw(tensors(REALS)), draw(st.booleans())
    attributes: dict[str, Any] = {"keep_dim": keep}
    dims = range(t.rank)
    if t.rank and draw(st.booleans()):
        dims = [axis_of(draw, t.rank)]
        attributes["dim_arg"] = tuple(dims)
    gone = {d % max(t.rank, 1) for d in dims}
    kept = [1 if i in gone else e for i, e in enumerate(t.shape) if keep or i not in gone]
    return Case(mnemonic, (t,), attributes, TensorType(tuple(kept), draw(st.sampled_from((DType.I32, DType.UI32)))))


@for_ops(reduction.Scan)
def _scan(draw: Draw, mnemonic: str) -> Case:
    t = draw(tensors((DType.F32, DType.BF16, DType.I32), least=1))
    return Case(mnemonic, (t,), {"dim": axis_of(draw, t.rank)})


@for_ops(reduction.Softmax)
def _softmax(draw: Draw, mnemonic: str) -> Case:
    t, stable = draw(tensors(REALS, least=1)), draw(st.booleans())
    if t.rank == len("bhrw") and draw(st.booleans()):
        mask = t.with_shape((t.shape[0], 1, 1, t.shape[-1]))
        return Case(mnemonic, (t, mask), {"dimension": draw(st.sampled_from((3, -1))), "numericStable": stable})
    return Case(mnemonic, (t,), {"dimension": axis_of(draw, t.rank), "numericStable": stable})
