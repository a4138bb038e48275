"""Every op that has a lowering for processors gives what its kernel gives, on drawn operands."""

from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.cpu.native import run_native
from tests.ops.strategies import cases
from ttstack.dialects.context import new_context
from ttstack.mlir import ir
from ttstack.ops import OPS
from ttstack.passes.ttir_to_linalg import table
from ttstack_runtime.evaluate import evaluate

CONTEXT = new_context()
LOWERED = sorted(table.mnemonics())

TOLERANCE = {2: 1e-2, 4: 2e-5, 8: 1e-12}
"""Relative, by bytes of a real number: sums in another order, functions by other formulas."""


def assert_close(have: np.ndarray, want: np.ndarray) -> None:
    if have.dtype.kind in "biu":
        np.testing.assert_array_equal(have, want)
    else:
        rtol = TOLERANCE[have.dtype.itemsize]
        np.testing.assert_allclose(have.astype(float), want.astype(float), rtol=rtol, atol=rtol)


def held_as_it_is(dtype: np.dtype[Any]) -> bool:
    """Whether kernels take the array itself; 16-bit reals they take as float32."""
    return dtype.itemsize != 2 or dtype.kind in "iu"


@pytest.mark.parametrize("mnemonic", LOWERED)
@settings(max_examples=3)
@given(data=st.data())
def test_an_op_gives_what_its_kernel_gives(mnemonic: str, data: st.DataObject):
    case = data.draw(cases(mnemonic))
    assume(all(t.size for t in (*case.op.operands, *case.op.results)))  # C takes no pointers to nothing
    arrays = case.arrays()
    with CONTEXT, ir.Location.unknown():
        code, have = run_native(case.module(), [a for a in arrays if a is not None])
    copies = [None if a is None else a.astype(a.dtype if held_as_it_is(a.dtype) else np.float32) for a in arrays]
    want: list[Any] = list(evaluate(case.op, copies))
    if OPS[mnemonic].mutates:
        want = [copies[0]]
    assert code == 0
    assert len(have) == len(want)
    for h, w in zip(have, want, strict=True):
        assert_close(h, w.astype(h.dtype))
