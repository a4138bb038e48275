"""Every op has every facet; the same properties run on every op, so a new op of a family needs no new test."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.every import for_every
from tests.ops.case import Case, the_op
from tests.ops.strategies import cases, has_cases
from ttstack.dialects.base import definition_of
from ttstack.dialects.functions import all_functions, refresh_signature
from ttstack.dialects.text import print_module
from ttstack.dialects.ttir import TTIR
from ttstack.dialects.ttnn import TTNN
from ttstack.dialects.types import read_type, tensor_type
from ttstack.frontends.text import parse
from ttstack.mlir import ir
from ttstack.ops import FAMILIES, OPS, Op
from ttstack.ops.types import DType
from ttstack.passes.ttir.functional.convert_results import ConvertResults
from ttstack_runtime import kernels
from ttstack_runtime.evaluate import evaluate

NAMED = sorted(name for name, spec in OPS.items() if spec.family != "generic" and not spec.functions)
"""All but the op with a region of its own, and the loop, whose functions compute: `tests/loops`."""
EXECUTABLE = [name for name in NAMED if OPS[name].executable]
COMPUTED = [name for name in NAMED if not OPS[name].opaque]
"""Ops that are not known to their own kernel alone."""

every_op = for_every("mnemonic", NAMED)
few = settings(max_examples=4)


@for_every("mnemonic", sorted(OPS))
def test_every_op_says_what_it_is(mnemonic: str):
    spec = OPS[mnemonic]
    assert spec.mnemonic == mnemonic
    assert spec.family in {f.__name__.rsplit(".", 1)[-1] for f in FAMILIES}
    assert spec.__doc__
    assert spec.__doc__[0] not in "\n "
    assert spec.op_code or not spec.executable or not spec.result_names or spec.functions, (
        "`op_code` is what profilers call it"
    )


@every_op
def test_every_op_can_be_drawn(mnemonic: str):
    assert has_cases(mnemonic)


@every_op
def test_every_op_stands_in_the_dialects(mnemonic: str):
    assert TTIR.op(mnemonic) is not None
    assert (TTNN.op(mnemonic) is not None) == OPS[mnemonic].executable


@for_every("mnemonic", COMPUTED)
def test_every_op_has_a_kernel_in_the_file_of_its_family(mnemonic: str):
    name = OPS[mnemonic].family
    assert name in kernels.FAMILIES, f"'{name}' is not among FAMILIES of runtime/ttstack_runtime/kernels/__init__.py"
    assert mnemonic in kernels.of_family(name), f"it belongs into runtime/ttstack_runtime/kernels/{name}.py"


@for_every("mnemonic", sorted({*NAMED} - {*COMPUTED}))
def test_an_opaque_op_has_no_kernel(mnemonic: str):
    assert kernels.find(mnemonic) is None


@every_op
@few
@given(data=st.data())
def test_text_is_a_fixpoint_and_describes_the_op(mnemonic: str, data: st.DataObject):
    case = data.draw(cases(mnemonic))
    for dialect in ("ttir", "ttnn")[: 1 + OPS[mnemonic].executable]:
        module = case.module(dialect)
        text = print_module(module)
        again = parse(text)
        assert print_module(again) == text
        _assert_describes(the_op(again), case)
    _assert_maps(case.op)


def _assert_maps(op: Op) -> None:
    if op.executable and not op.opaque:
        maps = len(op.loops.inputs), len(op.loops.outputs)
        assert maps == (len(op.operands), len(op.results)), f"`dispatch` of '{op.mnemonic}' gives {maps} maps"


def _assert_describes(op: Any, case: Case) -> None:
    found = definition_of(op)
    assert found.operands == case.op.operands
    assert found.results == case.op.results
    if case.mnemonic != "constant":
        assert found == case.op


@for_every("mnemonic", COMPUTED)
@few
@given(data=st.data())
def test_inferred_shapes_are_those_of_the_kernel(mnemonic: str, data: st.DataObject):
    case = data.draw(cases(mnemonic))
    results = evaluate(case.op, case.arrays())
    assert [r.shape for r in results] == [t.shape for t in case.op.results]


INFERRED = [
    name
    for name in NAMED
    if OPS[name].result_fields().keys().isdisjoint(("type", "types")) and (OPS[name].result_names and OPS[name].pure)
]
"""Ops whose results have types that operands and attributes say."""


@for_every("mnemonic", INFERRED)
@few
@given(data=st.data())
def test_the_verifier_refuses_another_result_type(mnemonic: str, data: st.DataObject):
    case = data.draw(cases(mnemonic))
    module = case.module()
    op = the_op(module)
    last, right = len(op.results) - 1, case.op.results[-1]
    name = f"{spec.result_names[-1]} {last}" if (spec := OPS[mnemonic]).variadic_results else spec.result_names[last]
    wrong = right.with_shape((*right.shape, 7))
    op.results[len(op.results) - 1].set_type(tensor_type(wrong))
    with pytest.raises(ir.MLIRError) as refused:
        op.verify()
    assert f"\"model.py\":7:1: 'ttir.{mnemonic}' op {name} is {wrong}, inferred {right}" in str(refused.value)


CONVERTED = [name for name in NAMED if OPS[name].computes is not None and not OPS[name].result_fields()]
"""Ops whose results the text can give another element type than they infer."""


@for_every("mnemonic", CONVERTED)
@few
@given(data=st.data())
def test_results_of_another_element_type_are_typecasts(mnemonic: str, data: st.DataObject):
    case = data.draw(cases(mnemonic))
    module = case.module()
    other = data.draw(st.sampled_from((DType.F32, DType.BF16, DType.I32)))
    wanted = [t.with_dtype(other) for t in case.op.results]
    for result, t in zip(the_op(module).results, wanted, strict=True):
        result.set_type(tensor_type(t))
    refresh_signature(next(all_functions(module)))
    again = parse(print_module(module))
    ConvertResults().run(again)
    assert again.operation.verify()
    *ops, last = again.body.operations[0].regions[0].blocks[0].operations
    assert [read_type(v.type) for v in last.operands] == wanted
    for op in ops:
        assert [read_type(r.type) for r in op.results] == list(definition_of(op.operation).results)
