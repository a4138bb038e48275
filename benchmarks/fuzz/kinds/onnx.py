"""ONNX models, with their weights inside or beside."""

import random
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import ModelProto, compose, numpy_helper, parser
from onnx.reference import ReferenceEvaluator

import ttstack
from benchmarks.fuzz.case import Files, Kind
from benchmarks.fuzz.kinds.modules import read
from benchmarks.fuzz.mutate import protobuf
from tests.frontends.onnx_cases import CASES, OPSETS

_CONTROL = (
    (
        "bool c, float[2] x",
        "",
        "y = If(c) <then_branch = t () => (float[2] a) {a = Relu(x)}, else_branch = e () => (float[2] b) {b = Neg(x)}>",
    ),
    (
        "float[2] x",
        "int64 n = {3}, bool c = {1}",
        """y = Loop(n, c, x)
            <body = b (int64 i, bool k, float[2] s) => (bool l, float[2] t) {l = Identity(k) t = Add(s, s)}>""",
    ),
    ("float[3,2,4] x", "float[1,12,4] w, float[1,12,3] r", "h, y = LSTM <hidden_size = 3> (x, w, r)"),
)


def _model(inputs: str, initialisers: str, nodes: str, opset: int = 17) -> ModelProto:
    text = f'<ir_version: 8, opset_import: ["" : {opset}]> g ({inputs}) => (y) <{initialisers}> {{ {nodes} }}'
    return parser.parse_model(text)


def _seeds() -> list[Files]:
    found = [_model(*case, OPSETS.get(name, 17)) for name, case in CASES.items()]
    found += [_model(*case) for case in _CONTROL]
    return [{"model.onnx": compose.add_prefix(model, "p/").SerializeToString()} for model in found]


def _external() -> list[Files]:
    model = _model("float[4,64] x", "", "h = MatMul(x, weight) \n y = Relu(h)")
    weight = np.random.default_rng(0).normal(size=(64, 32)).astype(np.float32)
    tensor = numpy_helper.from_array(weight, "weight")
    data = tensor.raw_data
    tensor.ClearField("raw_data")
    tensor.data_location = onnx.TensorProto.EXTERNAL
    for key, value in (("location", "weights.bin"), ("offset", "0"), ("length", str(len(data)))):
        tensor.external_data.add(key=key, value=value)
    model.graph.initializer.append(tensor)
    return [{"model.onnx": model.SerializeToString(), "weights.bin": data}]


def same_as_reference(path: Path, rng: random.Random) -> str | None:
    """Whether the values are those of ONNX's own evaluator, where that gives some."""
    if rng.randrange(2):
        return None
    program = ttstack.compile(path)
    if sum(np.prod(t.shape, dtype=float) for t in (*program.inputs().values(), *program.outputs().values())) > 1e6:
        return None
    inputs = _values(program.inputs())
    wanted = _reference(path, inputs)
    if wanted is None:
        return None
    outputs = program.run(inputs).outputs
    for (name, got), want in zip(outputs.items(), wanted, strict=True):
        if got.shape != want.shape or not np.allclose(
            got.astype(float), want.astype(float), 1e-4, 1e-4, equal_nan=True
        ):
            return f"output {name!r} is not that of ONNX's reference"
    return None


def _values(types: Any) -> dict[str, Any]:
    rng = np.random.default_rng(1)
    found: dict[str, Any] = {}
    for name, t in types.items():
        dtype = t.dtype.numpy
        drawn = rng.uniform(0.1, 0.9, t.shape) if dtype.kind == "f" else rng.integers(0, 2, t.shape)
        found[name] = np.asarray(drawn, dtype)
    return found


def _reference(path: Path, inputs: dict[str, Any]) -> list[Any] | None:
    """What ONNX's evaluator gives; None where it cannot, or where values depend on rounding."""
    try:
        with np.errstate(all="ignore"):
            found = ReferenceEvaluator(onnx.load(path)).run(None, inputs)
        arrays = [np.asarray(a) for a in found]
        return arrays if all(a.dtype.kind in "fiub" and np.isfinite(a.astype(float)).all() for a in arrays) else None
    except Exception:  # whatever it cannot
        return None


KINDS = [
    Kind("onnx", _seeds, protobuf.MUTATORS, read, same_as_reference, 8),
    Kind("onnx_external", _external, protobuf.EXTERNAL, read, None, 3),
]
