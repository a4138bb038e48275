"""Rotary embeddings of ONNX and of ONNX Runtime are the one op that those of other sources are."""

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import ModelProto, numpy_helper, parser
from onnx.reference import ReferenceEvaluator

import ttstack
from ttstack.diagnostics import UnsupportedOpError

HEADS_FIRST, SIDE_BY_SIDE = "float[2,4,40,64] x", "float[2,40,256] x"
OF_EACH, OF_THE_FIRST = "int64[2,40] p", "int64[1] p"
RUNTIME = '"" : 17, "com.microsoft" : 1'
OWN = '"" : 23'


def model(node: str, inputs: str, part: int, opsets: str) -> ModelProto:
    """One node, with tables of angles that the model holds."""
    result = "A,B,C,D" if HEADS_FIRST in inputs else "A,B,C"
    text = f"<ir_version: 10, opset_import: [{opsets}]> g ({inputs}) => (float[{result}] y) {{ {node} }}"
    made, angles = parser.parse_model(text), np.arange(96)[:, None] * 100.0 ** (-np.arange(part // 2) / (part // 2))
    for name, table in (("c", np.cos(angles)), ("s", np.sin(angles))):
        made.graph.initializer.append(numpy_helper.from_array(table.astype(np.float32), name))
    return made


def check(made: ModelProto, attributes: str, rows: str, part: int, tmp_path: Path) -> list[str]:
    """The names of its ops, whose values are those of ONNX's reference with a position for each token."""
    onnx.save(made, tmp_path / "rotary.onnx")
    program, rng = ttstack.compile(tmp_path / "rotary.onnx"), np.random.default_rng(0)
    x = rng.standard_normal(program.inputs()["x"].shape).astype(np.float32)
    at = rng.integers(0, 50, program.inputs()["p"].shape)
    (found,) = program.run({"x": x, "p": at}).outputs.values()
    each = at + np.arange(40)[None].repeat(2, 0) if at.shape == (1,) else at
    own = model(f"y = RotaryEmbedding<{attributes}>(x, c, s, p)", f"{rows}, {OF_EACH}", part, OWN)
    (wanted,) = ReferenceEvaluator(own).run(None, {"x": x, "p": each})
    np.testing.assert_allclose(found, np.asarray(wanted), atol=1e-6)
    return [op.name for op in program.cost().ops if op.results[0].type.dtype.is_float]


@pytest.mark.parametrize("rows", [HEADS_FIRST, SIDE_BY_SIDE])
@pytest.mark.parametrize("part", [64, 32])
@pytest.mark.parametrize("node", ["RotaryEmbedding<{}>(x, c, s, p)", "com.microsoft.RotaryEmbedding<{}>(x, p, c, s)"])
def test_halves(rows: str, part: int, node: str, tmp_path: Path):
    """Embeddings of a whole row, and of its first half."""
    attributes = f"num_heads=4, rotary_embedding_dim={part % 64}"
    opsets = RUNTIME if "com" in node else OWN
    made = model(f"y = {node.format(attributes)}", f"{rows}, {OF_EACH}", part, opsets)
    ops = check(made, attributes, rows, part, tmp_path)
    assert ops.count("rotary_embedding") == 1
    assert {"multiply", "subtract"}.isdisjoint(ops)
    assert part != 64 or {"transpose", "permute", "concat"}.isdisjoint(ops)


@pytest.mark.parametrize("rows", [HEADS_FIRST, SIDE_BY_SIDE])
@pytest.mark.parametrize("part", [64, 32])
def test_neighbours_from_one_position_on(rows: str, part: int, tmp_path: Path):
    attributes = f"interleaved=1, num_heads=4, rotary_embedding_dim={part % 64}"
    node = f"y = com.microsoft.RotaryEmbedding<{attributes}>(x, p, c, s)"
    ops = check(model(node, f"{rows}, {OF_THE_FIRST}", part, RUNTIME), attributes, rows, part, tmp_path)
    assert ops.count("rotary_embedding") == 1
    assert {"multiply", "subtract", "matmul"}.isdisjoint(ops)


@pytest.mark.parametrize("attributes", ["scale=2.0", "is_packed_batching=1", "rotary_embedding_dim=7"])
def test_other_forms_are_refused(attributes: str, tmp_path: Path):
    node = f"y = com.microsoft.RotaryEmbedding<{attributes}>(x, p, c, s)"
    onnx.save(model(node, f"{HEADS_FIRST}, {OF_EACH}", 64, RUNTIME), tmp_path / "rotary.onnx")
    with pytest.raises(UnsupportedOpError, match="cannot be compiled"):
        ttstack.compile(tmp_path / "rotary.onnx")


def test_operands_that_are_missing_are_told(tmp_path: Path):
    given: dict[str, Any] = {"node": "y = com.microsoft.RotaryEmbedding(x, p)", "inputs": f"{HEADS_FIRST}, {OF_EACH}"}
    onnx.save(model(**given, part=64, opsets=RUNTIME), tmp_path / "rotary.onnx")
    with pytest.raises(UnsupportedOpError, match="cannot be compiled"):
        ttstack.compile(tmp_path / "rotary.onnx")
