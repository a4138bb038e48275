"""What can be drawn for ops that make values of none."""

from typing import Any

import numpy as np
from hypothesis import strategies as st

from tests.ops.case import Case
from tests.ops.draws import F32, NUMBERS, Draw, axis_of, for_ops, tensors
from ttstack.ops import creation
from ttstack.ops.types import DType


@for_ops(creation.Creation)
def _creation(draw: Draw, mnemonic: str) -> Case:
    t = draw(tensors((*NUMBERS, DType.I1)))
    attributes: dict[str, Any] = {} if mnemonic == "empty" else {"shape": t.shape}
    if mnemonic == "full":
        attributes["fill_value"] = draw(st.integers(0, 1) if t.dtype is DType.I1 else st.one_of(F32, st.integers(0, 9)))
        if not t.dtype.is_float:
            attributes["fill_value"] = int(draw(st.integers(0, 1)))
    return Case(mnemonic, (), attributes, t)


@for_ops(creation.Constant)
def _constant(draw: Draw, mnemonic: str) -> Case:
    t = draw(tensors((*NUMBERS, DType.I1), most=3))
    values = np.arange(t.size).reshape(t.shape) % (1 if draw(st.booleans()) else 7)
    return Case(mnemonic, (), {"value": np.asarray(values).astype(t.dtype.numpy)}, t)


@for_ops(creation.Arange)
def _arange(draw: Draw, mnemonic: str) -> Case:
    t = draw(tensors((DType.F32, DType.BF16, DType.I32, DType.UI32, DType.I64), least=1))
    at, step, start = axis_of(draw, t.rank), draw(st.integers(1, 3)), draw(st.integers(0, 4))
    end = start + step * t.shape[at] - draw(st.integers(0, step - 1))
    attributes = {"start": start, "end": end, "step": step, "arange_dimension": at}
    return Case(mnemonic, (), attributes, t)
