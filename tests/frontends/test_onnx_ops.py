"""Each ONNX op against ONNX's own reference; many graphs in one module, as a context costs more than an import."""

import re
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import GraphProto, ModelProto, compose, parser
from onnx.reference import ReferenceEvaluator

from tests.frontends.conftest import Interpret
from tests.frontends.onnx_cases import CASES, OPSETS
from tests.frontends.onnx_forms import FORMS, Form
from tests.frontends.onnx_suite_cases import SUITE_CASES
from ttstack.dialects.functions import all_functions
from ttstack.dialects.signature import read_arguments
from ttstack.frontends.onnx_to_ttir import CONVERSIONS
from ttstack.frontends.source import import_model

_RANGES = {"i": (0, 5), "n": (0, 255), "m": (-128, 127)}
"""What integers are drawn from, by the name of the input."""


ALL: dict[str, Form] = {name: (*case, OPSETS.get(name, 17)) for name, case in CASES.items()} | FORMS | SUITE_CASES


def model(name: str) -> ModelProto:
    """The case's graph; its names begin with the case's."""
    inputs, initialisers, nodes, opset = ALL[name]
    header = f'<ir_version: 8, opset_import: ["" : {opset}]>'
    return compose.add_prefix(
        parser.parse_model(f"{header} g ({inputs}) => (y) <{initialisers}> {{ {nodes} }}"), f"{name}/"
    )


def together(names: Sequence[str]) -> ModelProto:
    """One model with the graphs of all."""
    first, *rest = [model(name) for name in names]
    for other in rest:
        for field in ("node", "initializer", "input", "output"):
            getattr(first.graph, field).extend(getattr(other.graph, field))
    return first


def values(graph: GraphProto) -> dict[str, Any]:
    """Random inputs, in the range that the input's name stands for."""
    rng = np.random.default_rng(1)
    found = {}
    for value in graph.input:
        name = value.name.rpartition("/")[2]
        shape = [d.dim_value for d in value.type.tensor_type.shape.dim]
        dtype = onnx.helper.tensor_dtype_to_np_dtype(value.type.tensor_type.elem_type)
        if dtype.kind == "f":
            drawn = rng.uniform(0.1, 0.9, shape) if name == "p" else rng.normal(size=shape)
        else:
            drawn = rng.integers(*_RANGES.get(name, (0, 2) if dtype.kind == "b" else (-9, 9)), shape)
        found[value.name] = np.asarray(drawn, dtype)
    return found


def groups() -> list[list[str]]:
    """Cases of one operator set, twelve at a time."""
    found: list[list[str]] = []
    for _, names in groupby(sorted(ALL, key=lambda name: ALL[name][-1]), lambda name: ALL[name][-1]):
        alike = list(names)
        found += [alike[i : i + 12] for i in range(0, len(alike), 12)]
    return found


@pytest.mark.parametrize("names", groups(), ids=lambda names: names[0])
def test_ops(names: list[str], tmp_path: Path, interpret: Interpret):
    proto = together(names)
    feeds = values(proto.graph)
    onnx.save(proto, tmp_path / "model.onnx")
    with import_model(tmp_path / "model.onnx") as found:
        given = feeds | dict(found.weights)
        (function,) = all_functions(found.module)
        results = interpret(found.module, [given[a.name] for a in read_arguments(function)])
    for name, expected, result in zip(names, ReferenceEvaluator(proto).run(None, feeds), results, strict=True):
        wanted = np.asarray(expected)
        assert result.shape == wanted.shape, name
        np.testing.assert_allclose(result.astype(float), wanted.astype(float), rtol=1e-5, atol=1e-5, err_msg=name)


def test_every_conversion_has_a_case():
    tested = {name for case in ALL.values() for name in re.findall(r"= ?(\w+) ?[<(]", case[2])}
    left = {name.removeprefix("torch.onnx.") for name in CONVERSIONS} - tested
    assert not left, "add a graph with each to tests/frontends/onnx_cases.py"


def test_a_window_larger_than_the_image_averages_what_there_is(tmp_path: Path, interpret: Interpret):
    """So PyTorch does, which exports such pools; ONNX's reference counts elements that are not there."""
    pool = "AveragePool<kernel_shape=[9,9], strides=[9,9], ceil_mode=1, count_include_pad=1>"
    text = f'<ir_version: 8, opset_import: ["" : 17]> g (float[1,2,4,4] x) => (float[1,2,1,1] y) {{ y = {pool}(x) }}'
    onnx.save(parser.parse_model(text), tmp_path / "model.onnx")
    x = np.random.default_rng(0).normal(size=(1, 2, 4, 4)).astype(np.float32)
    with import_model(tmp_path / "model.onnx") as found:
        (result,) = interpret(found.module, [x])
    np.testing.assert_allclose(result, x.mean((2, 3), keepdims=True), rtol=1e-5)
