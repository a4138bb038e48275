"""ONNX's own node tests, as the package `onnx` generates them.

Operator sets that are not read are replaced by the nearest one that is. All inputs but the first that have at most 64
elements are constants, as models have their shapes, axes and scales; a test is equal if it is in either form.
"""

import tempfile
from contextlib import chdir
from functools import cache
from typing import Any

import numpy as np
import onnx
from onnx import ModelProto, TensorProto, numpy_helper

import ttstack
from benchmarks.op_suites.outcome import Outcome, difference, outcome
from ttstack.frontends.onnx.load import OPSETS

_KNOWN = 64
"""Elements up to which an input is a constant in the second form."""
_STEP = {"bfloat16": 2.0**-6}
"""Relative distance, by type, where the reference rounds after each step of a composite op: two places in the last."""
_ATOL = 1e-5
_NOT_TENSORS = "its inputs or outputs are sequences, optionals or maps"


@cache
def _cases() -> dict[str, Any]:
    from onnx.backend.test.case.node import collect_testcases

    return {case.name: case for case in collect_testcases(None)}


def names() -> list[str]:
    """Return the names of all tests."""
    return list(_cases())


def run(name: str) -> Outcome:
    """Return the outcome of a test: of the form without constants, otherwise of the one with them."""
    case = _cases()[name]
    open_form = outcome(lambda: _run(case, known=False))
    if open_form.kind != "refused":
        return open_form
    return outcome(lambda: _run(case, known=True))


def _run(case: Any, *, known: bool) -> str:
    (given, wanted), model = case.data_sets[0], ModelProto()
    model.CopyFrom(case.model)
    _read_set(model)
    inputs = {value.name: _array(x) for value, x in zip(model.graph.input, given, strict=False)}
    if known:
        small = {n: a for n, a in list(inputs.items())[1:] if a is not None and a.size <= _KNOWN}
        model.graph.initializer.extend(numpy_helper.from_array(a, n) for n, a in small.items())
    with tempfile.TemporaryDirectory() as folder, chdir(folder):
        onnx.save(model, "model.onnx")
        program = ttstack.compile("model.onnx")
    if any(value is None for value in (*inputs.values(), *map(_array, wanted))):
        return _NOT_TENSORS
    results = program.run({name: inputs[name] for name in program.inputs()}).outputs
    for value, (name, got) in zip(wanted, results.items(), strict=True):
        want = _array(value)
        rtol = max(_STEP.get(want.dtype.name, 1e-3), case.rtol)
        if why := difference(got, want, rtol, max(_ATOL, case.atol)):
            return f"{name} {why}"
    return ""


def _read_set(model: ModelProto) -> None:
    """Replace the operator set of ONNX's own domain by the nearest that is read."""
    for imported in model.opset_import:
        if imported.domain in ("", "ai.onnx"):
            imported.version = min(max(imported.version, OPSETS[0]), OPSETS[-1])


def _array(value: Any) -> Any:
    """Return a value of a test as an array, or None for a value that is not a tensor."""
    if isinstance(value, list | dict) or value is None:
        return None
    return numpy_helper.to_array(value) if isinstance(value, TensorProto) else np.asarray(value)
