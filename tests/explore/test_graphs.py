"""Every level of a model is a graph that hangs together, and what colours it adds up."""

import json
from pathlib import Path

import pytest

import ttstack
from ttstack.diagnostics import InputError, OutputError
from ttstack.explore.session import Session, open_session
from ttstack.report.graphs.model import layers
from ttstack.report.graphs.overlays import Overlay, overlays

TWO = """
func.func @first(%a: tensor<32x32xf32>) -> tensor<32x32xf32> {
  %0 = "ttir.relu"(%a) : (tensor<32x32xf32>) -> tensor<32x32xf32>
  return %0 : tensor<32x32xf32>
}
func.func @second(%a: tensor<64x32xf32>) -> tensor<32x64xf32> {
  %0 = "ttir.permute"(%a) <{permutation = array<i64: 1, 0>}> : (tensor<64x32xf32>) -> tensor<32x64xf32>
  return %0 : tensor<32x64xf32>
}
"""


def test_edges_come_from_nodes_that_are_there(session: Session) -> None:
    assert [graph.id for graph in session.graphs] == ["ttnn", "dispatched", "ttir", "source"]
    for graph in session.graphs:
        results = {node.id: max(len(node.results), 1) for node in graph.nodes}
        assert len(results) == len(graph.nodes)
        sources = [source for node in graph.nodes for source in node.operands]
        assert sources
        assert all(source.result < results[source.node] for source in sources)
        assert any(node.id.startswith("output ") and node.operands for node in graph.nodes)


def test_the_program_has_a_node_for_each_op_with_its_time_and_layouts(session: Session) -> None:
    (version,), (graph, *_) = session.versions, session.graphs
    report = version.reports["forward"]
    nodes = {node.id: node for node in graph.nodes}
    assert [nodes[f"op {op.index}"].label for op in report.ops] == [op.name for op in report.ops]
    longest = max(report.ops, key=lambda op: op.elapsed_ns)
    node = nodes[f"op {longest.index}"]
    assert node.attributes["bound"] == longest.bound
    assert node.attributes["location"] == longest.location
    assert node.results[0]["layout"] == str(longest.results[0].layout)
    assert str(longest.results[0].layout.memory_space) in node.results[0]["shape"]
    assert graph.attributes["device"] == "n150"


def test_overlays_add_up_to_the_report(session: Session) -> None:
    (version,) = session.versions
    report = version.reports["forward"]
    function = version.binary.functions[0]
    found = {overlay.name: overlay for overlay in version.overlays(function)}
    time = found["time [µs]"]
    assert sum(map(float, time.values.values())) == pytest.approx(report.total_ns / 1000)
    assert set(time.values) == {f"op {op.index}" for op in report.ops}
    assert {r["value"] for r in found["bound"].node_data()["results"].values()} == {op.bound for op in report.ops}
    assert json.loads(time.file_json("ttnn"))["ttnn"]["gradient"][0]["stop"] == 0


def test_what_is_more_than_the_library_takes_adds_up(session: Session) -> None:
    (version,) = session.versions
    report = version.reports["forward"]
    (over,) = (o for o in overlays(report) if "library" in o.name)
    default = report.library_default
    assert default is not None
    assert default.unknown == len(report.ops) - len(over.values)
    assert 1000 * sum(map(float, over.values.values())) == pytest.approx(report.total_ns - default.elapsed_ns)


def test_zero_is_where_signs_meet() -> None:
    stops = Overlay("change", {"a": -1.0, "b": 3.0}, signed=True).node_data()["gradient"]
    assert [stop["stop"] for stop in stops] == [0, 0.25, 1]
    same = Overlay("change", {"a": 0.0}, signed=True).node_data()["gradient"]
    assert [stop["stop"] for stop in same] == [0, 1]


def test_modules_are_layers_and_paths_are_none() -> None:
    assert layers("encoder.layer.0 (/home/someone/model.py:3)") == ("encoder", "layer", "0")
    assert layers("/home/some.one/model.mlir:3") == ()
    assert layers("") == ()


def test_several_functions_and_a_saved_program(tmp_path: Path) -> None:
    ttstack.compile(TWO, keep_ir=True).save(tmp_path / "two.ttb")
    with open_session(str(tmp_path / "two.ttb"), "two", None, {}) as session:
        assert [graph.id for graph in session.graphs] == ["ttnn first", "ttnn second", "source second", "source first"]
        session.write(tmp_path / "graphs")
        with pytest.raises(InputError, match="holds no model to compile again"):
            session.edit("ttnn first", "0", "memory", "l1")
    written = json.loads((tmp_path / "graphs/graphs.json").read_text())
    assert [len(graph["nodes"]) for graph in written["graphs"]] == [3, 3, 3, 3]
    assert (tmp_path / "graphs/second-time.json").exists()
    with (
        pytest.raises(InputError, match="is compiled already"),
        open_session(str(tmp_path / "two.ttb"), "two", None, {"dtype": "bf16"}),
    ):
        pass


def test_a_folder_that_is_there_stays_as_it_is(session: Session, tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="File exists"):
        session.write(tmp_path)
    assert list(tmp_path.iterdir()) == []
