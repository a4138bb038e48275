"""Every op through the whole pipeline: it is in the program, at its place in the source, and gives its values."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.ops.case import NAME, Case
from tests.ops.strategies import cases
from ttstack.compiler import compile_module
from ttstack.diagnostics import ExecutionError
from ttstack.ops import OPS
from ttstack.options.model import CompileOptions
from ttstack.program.records import Binary, TensorKind
from ttstack.program.validate import validate_binary
from ttstack.system_desc import load
from ttstack_runtime.evaluate import evaluate
from ttstack_runtime.executor import execute

COMPILER_ONLY = {"tensor_train_decompose"}
"""Ops on values that the compiler must know: of parameters and constants, not of inputs."""

NAMED = sorted(
    name for name, spec in OPS.items() if spec.family != "generic" and name not in COMPILER_ONLY and not spec.functions
)
WORMHOLE = load("wormhole")

BECOME_CONSTANTS = {"constant", "full", "zeros", "ones", "arange"}
REPLACED = {
    "dot_general": {"matmul"},
    "fourier": {"matmul"},
    "real_fourier": {"matmul"},
    "linear": {"linear", "matmul"},
    "transpose": {"transpose", "permute"},
    "clamp_tensor": {"clamp_tensor"},
    "max": {"max"},
    "global_avg_pool2d": {"mean"},
    "avg_pool2d": {"div"},
    **{name: {"all_gather", "max", "min"} for name in ("all_reduce", "all_reduce_async", "reduce_scatter")},
}
"""Ops of the program that may stand for an op of the source, where that is not the op itself."""

WRITTEN_OUT = {
    "adamw": {"sqrt"},
    "batch_norm_inference": {"rsqrt"},
    "batch_norm_training": {"rsqrt", "layer_norm"},
    "cumsum": {"matmul", "sum"},
    "group_norm": {"rsqrt", "layer_norm"},
    "paged_scaled_dot_product_attention_decode": {"pad"},
    "rotary_embedding": {"matmul"},
    "scatter": {"minimum", "maximum", "multiply"},
    "sdpa_bw": {"exp"},
    "sdpa_fw": {"scaled_dot_product_attention"},
    "topk_router_gpt": {"topk"},
}
"""Ops for which there are others in some forms, with one of these."""

TOLERANCE = {2: 1e-2, 4: 1e-5, 8: 1e-12}
"""Relative, by bytes of a real number: sums in another order."""


def compiled(case: Case, **options: Any) -> Binary:
    return compile_module(case.module(), CompileOptions(system_desc=WORMHOLE, **options), weights={}).binary


@pytest.mark.parametrize("mnemonic", NAMED)
@settings(max_examples=3)
@given(data=st.data())
def test_an_op_becomes_a_program_that_gives_its_values(mnemonic: str, data: st.DataObject):
    case = data.draw(cases(mnemonic))
    binary = compiled(case)
    validate_binary(binary)
    (function,) = binary.functions
    assert tuple(function.tensors[o.tensor].type for o in function.outputs) == case.op.results
    assert tuple(t.type for t in function.arguments.values()) == case.op.operands
    made = [op for op in function.operations if op.name not in ("to_layout", "deallocate")]
    assert {op.location for op in made} <= {"model.py:7"}
    _assert_there(case, binary)
    if case.op.opaque:
        with pytest.raises(ExecutionError, match=f"op '{mnemonic}' has no reference semantics"):
            execute(binary, case.named_arrays(), function=NAME)
        return
    got = execute(binary, case.named_arrays(), function=NAME)
    for have, want in zip(got.values(), evaluate(case.op, case.arrays()), strict=True):
        assert have.dtype == want.dtype
        _assert_close(have, want, _step_error(case))


def _step_error(case: Case) -> float:
    """What steps in between lose: numbers that become attributes have 32 bits, products of operands in bf16 8."""
    if case.mnemonic not in WRITTEN_OUT:
        return 0.0
    if all(t.dtype.row_major_bytes != 2 for t in case.op.operands):
        return 1e-7
    largest = max(float(np.abs(np.asarray(a, float)).max(initial=1.0)) for a in case.arrays() if a is not None)
    return 2**-8 * largest**2


def _assert_there(case: Case, binary: Binary) -> None:
    (function,) = binary.functions
    names = {op.name for op in function.operations}
    constants = [t for t in function.tensors if t.kind is TensorKind.CONSTANT]
    if case.mnemonic in BECOME_CONSTANTS:
        assert constants or case.mnemonic in names
    else:
        allowed = {case.mnemonic, *REPLACED.get(case.mnemonic, ()), *WRITTEN_OUT.get(case.mnemonic, ())}
        assert names & allowed or _changes_nothing(case)


def _changes_nothing(case: Case) -> bool:
    """A movement that another spelling can stand for, or a cast to what there is."""
    return not case.op.flops() or (case.mnemonic == "typecast" and case.op.results == case.op.operands)


def _assert_close(have: np.ndarray, want: np.ndarray, step_error: float) -> None:
    if have.dtype.kind in "biu":
        np.testing.assert_array_equal(have, want)
    else:
        rtol = TOLERANCE[have.dtype.itemsize]
        np.testing.assert_allclose(have.astype(float), want.astype(float), rtol=rtol, atol=rtol + step_error)
