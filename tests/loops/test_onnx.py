"""`Scan` and `If` of ONNX: values of both branches, and of scans in both directions."""

from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import GraphProto, TensorProto, helper

import ttstack
from ttstack.diagnostics import UnsupportedOpError

RNG = np.random.default_rng(0)


def value(name: str, shape: list[int]) -> onnx.ValueInfoProto:
    return helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)


def saved(graph: GraphProto, folder: Path) -> str:
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.save(model, folder / "model.onnx")
    return str(folder / "model.onnx")


@pytest.mark.parametrize("reverse", [0, 1])
@pytest.mark.parametrize("axis", [0, 1])
def test_a_scan_runs_over_slices(reverse: int, axis: int, tmp_path):
    nodes = [helper.make_node("Add", ["s", "x"], ["t"]), helper.make_node("Tanh", ["t"], ["n"])]
    nodes.append(helper.make_node("Neg", ["n"], ["y"]))
    body = helper.make_graph(nodes, "b", [value("s", [4]), value("x", [4])], [value("n", [4]), value("y", [4])])
    scan = helper.make_node(
        "Scan",
        ["s0", "xs"],
        ["last", "ys"],
        num_scan_inputs=1,
        body=body,
        scan_input_directions=[reverse],
        scan_input_axes=[axis],
        scan_output_directions=[reverse],
    )
    shape = [6, 4] if axis == 0 else [4, 6]
    graph = helper.make_graph(
        [scan], "g", [value("s0", [4]), value("xs", shape)], [value("last", [4]), value("ys", [6, 4])]
    )
    program = ttstack.compile(saved(graph, tmp_path))
    s, x = RNG.normal(size=4).astype("f4"), RNG.normal(size=shape).astype("f4")
    outputs = program.run({"s0": s, "xs": x}).outputs
    rows = np.moveaxis(x, axis, 0)
    wanted = np.empty_like(rows)
    for i in reversed(range(6)) if reverse else range(6):
        s = np.tanh(s + rows[i])
        wanted[i] = -s
    np.testing.assert_allclose(outputs["last"], s, atol=1e-6)
    np.testing.assert_allclose(outputs["ys"], wanted, atol=1e-6)


def branches(shape: list[int]) -> GraphProto:
    """A choice of sine or cosine by the sign of the sum."""
    yes = helper.make_graph([helper.make_node("Sin", ["x"], ["o1"])], "t", [], [value("o1", [4])])
    no = helper.make_graph([helper.make_node("Cos", ["x"], ["o2"])], "e", [], [value("o2", shape)])
    if shape != [4]:
        no = helper.make_graph([helper.make_node("Concat", ["x", "x"], ["o2"], axis=0)], "e", [], [value("o2", shape)])
    nodes = [
        helper.make_node("ReduceSum", ["x"], ["s"], keepdims=0),
        helper.make_node("Greater", ["s", "z"], ["c"]),
        helper.make_node("If", ["c"], ["o"], then_branch=yes, else_branch=no),
    ]
    zero = helper.make_tensor("z", TensorProto.FLOAT, [], [0.0])
    return helper.make_graph(nodes, "g", [value("x", [4])], [value("o", [4])], [zero])


@pytest.mark.parametrize("sign", [1, -1])
def test_a_branch_by_value_chooses_results(sign: int, tmp_path):
    x = sign * np.abs(RNG.normal(size=4)).astype("f4")
    outputs = ttstack.compile(saved(branches([4]), tmp_path)).run({"x": x}).outputs
    np.testing.assert_allclose(outputs["o"], np.sin(x) if sign > 0 else np.cos(x), atol=1e-6)


def test_branches_of_other_shapes_are_refused(tmp_path):
    with pytest.raises(UnsupportedOpError, match="gives another shape or type by its branches: result 0"):
        ttstack.compile(saved(branches([8]), tmp_path))
