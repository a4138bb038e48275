"""ONNX's own node tests: how many compile with the right values, are refused, end wrong or as a fault of ttstack's.

    python -m benchmarks.frontends.onnx_nodes [--known] [NAME ...]

Operator sets that are not read are replaced by the nearest that is. With `--known`, all inputs but the first that have
at most 64 elements are constants, as models have their shapes, axes and scales. Exits with 1 where a value is wrong or
ttstack fails. The 1,884 tests take some five minutes each way on one core.
"""

import argparse
import os
import tempfile
import warnings
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import ModelProto, TensorProto, numpy_helper

import ttstack
from ttstack.diagnostics import TTStackError
from ttstack.support.isolation.limits import ISOLATE

SETS = range(13, 24)
"""Operator sets that are read."""
_KNOWN = 64
"""Elements up to which an input counts as a constant with `--known`."""
_STEP = {"bfloat16": 2.0**-6}
"""Relative distance, by type, where the reference rounds after each step of a composite op: two places in the last."""


def read_set(model: ModelProto) -> None:
    """Replace the operator set of ONNX's own domain by the nearest that is read."""
    for imported in model.opset_import:
        if imported.domain in ("", "ai.onnx"):
            imported.version = min(max(imported.version, SETS[0]), SETS[-1])


def array(value: Any) -> Any:
    """Return a value of a test as an array, or None where it is not a tensor."""
    if isinstance(value, list | dict) or value is None:
        return None
    return numpy_helper.to_array(value) if isinstance(value, TensorProto) else np.asarray(value)


def outcome(case: Any, path: Path, *, known: bool) -> tuple[str, str]:
    """Return what a test ends as, and why."""
    model, (given, wanted) = case.model, case.data_sets[0]
    read_set(model)
    names = [value.name for value in model.graph.input]
    inputs = {name: array(value) for name, value in zip(names, given, strict=False)}
    if known:
        small = {
            n: a for n, a in list(inputs.items())[1:] if a is not None and a.size <= _KNOWN and a.dtype.kind in "iuf"
        }
        model.graph.initializer.extend(numpy_helper.from_array(a, n) for n, a in small.items())
    onnx.save(model, path)
    try:
        program = ttstack.compile(path)
        if any(value is None for value in (*inputs.values(), *map(array, wanted))):
            return "compiled", "has values that are not tensors"
        found = program.run({name: inputs[name] for name in program.inputs()}).outputs
    except TTStackError as error:
        return "refused", str(error).splitlines()[0]
    except Exception as error:  # whatever it is, it is what this command looks for
        return "fault", f"{type(error).__name__}: {str(error)[:200]}"
    for value, (name, got) in zip(wanted, found.items(), strict=True):
        if why := difference(got, array(value)):
            return "wrong", f"{name} {why}"
    return "right", ""


def difference(got: Any, want: Any) -> str:
    """Return how a result differs from the wanted one, or an empty text."""
    if got.shape != want.shape:
        return f"has the shape {got.shape}, not {want.shape}"
    a, b = (x.astype(np.float64) for x in (got, want))
    far = ~np.isclose(a, b, rtol=_STEP.get(want.dtype.name, 1e-3), atol=1e-5, equal_nan=True)
    return f"has {far.sum()} of {far.size} wrong, {a[far][0]} for {b[far][0]}" if far.any() else ""


def main() -> int:
    """Run all tests, or those that are named, and print those that end wrong or as a fault."""
    from onnx.backend.test.case.node import collect_testcases

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--known", action="store_true")
    given = parser.parse_args()
    os.environ[ISOLATE] = "0"
    warnings.simplefilter("ignore")
    counts = Counter[str]()
    with tempfile.TemporaryDirectory() as folder:
        for case in collect_testcases(None):
            if given.names and case.name not in given.names:
                continue
            what, why = outcome(case, Path(folder) / "model.onnx", known=given.known)
            counts[what] += 1
            if what in ("wrong", "fault"):
                print(f"{case.name}: {what}: {why}", flush=True)
    print(", ".join(f"{number} {what}" for what, number in counts.most_common()))
    return int(bool(counts["wrong"] or counts["fault"]))


if __name__ == "__main__":
    raise SystemExit(main())
