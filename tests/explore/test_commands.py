"""What Model Explorer and tt-explorer ask, and what they are told."""

import json
from typing import Any

import pytest

from ttstack.explore.commands import EXTENSIONS, Commands
from ttstack.explore.edits import FIELDS
from ttstack.explore.session import Session, open_session


@pytest.fixture
def ask(session: Session) -> Any:
    commands = Commands(session)

    def answer(extension: str, command: str, **others: Any) -> Any:
        asked = {"extensionId": extension, "cmdId": command, "modelPath": session.path, **others}
        return json.loads(json.dumps(commands.answer(asked)))

    return answer


def test_extensions_are_known_to_have_one_id_each(session: Session) -> None:
    ids = [extension["id"] for extension in EXTENSIONS]
    assert len(set(ids)) == len(ids)
    assert {extension["type"] for extension in EXTENSIONS} == {"adapter", "node_data_provider"}


def test_the_form_edits_and_the_reply_colours_the_graph(ask: Any, session: Session) -> None:
    graphs = ask("ttstack", "convert", settings={})["graphs"]
    assert [graph["id"] for graph in graphs] == ["ttnn", "dispatched", "ttir", "source"]
    op, field, value, base = ask("ttstack_edit", "get_config_editors")["configEditors"]
    assert [editor["id"] for editor in (op, field, value, base)] == ["op", "field", "value", "base"]
    assert "memory" in [option["value"] for option in field["options"]]
    given = {"op": "op 0", "field": "memory", "value": "dram", "base": "0"}
    time, change = ask("ttstack_edit", "run", graphId="ttnn", configValues=given, graph={})["result"]
    assert change["name"].startswith("change [µs] by edit 1: op 0 memory=dram, ")
    nodes = {node["id"] for node in graphs[0]["nodes"]}
    assert set(time["results"]) <= nodes
    *_, base = ask("ttstack_edit", "get_config_editors")["configEditors"]
    assert base["defaultValue"] == "1"
    assert ask("ttstack", "convert")["graphs"][0]["id"] == "ttnn, edit 1"


def test_what_cannot_be_is_said_in_the_words_of_the_compiler(ask: Any, session: Session) -> None:
    run = {"graphId": "ttnn", "configValues": {"op": "0", "field": "grid", "value": "90x90"}}
    refused = ask("ttstack_edit", "run", **run)
    assert refused["result"] is None
    assert "grid 90x90 is larger than the device's 8x8" in refused["error"]
    assert "an edit has an op and a value" in ask("ttstack_edit", "run", configValues=[])["error"]
    assert "there is no command 'delete'" in ask("ttstack", "delete")["error"]
    assert "'/etc/passwd' is not open here" in ask("ttstack", "convert", modelPath="/etc/passwd")["error"]
    assert "a command is a JSON object" in Commands(session).answer([])["error"]


HOSTILE = ("9" * 5000, "-1", "\ud800", "\0", "[" * 500, "*", "x" * 100_000, "../../etc/passwd", None, 3, {}, ["l1"])


def test_whatever_is_sent_is_answered(ask: Any, session: Session) -> None:
    plain = {"op": "0", "field": "grid", "value": "90x90", "base": "0"}
    for value in HOSTILE:
        changed = [{**plain, key: value} for key in plain] + [{**plain, "field": f, "value": value} for f in FIELDS]
        for given in changed:
            assert ask("ttstack_edit", "run", graphId="ttnn", configValues=given)["error"], given
        assert ask("ttstack_edit", "run", graphId=value, configValues=plain)["error"]
        attributes = [{"key": value, "value": value}]
        ask("tt_adapter", "execute", settings={"overrides": {str(value): {"attributes": attributes}}})
        assert ask("tt_adapter", "status_check")["graphs"][0]["error"]
    assert len(session.versions) == 1


def test_tt_explorer_edits_and_runs(ask: Any, session: Session) -> None:
    (graph,) = ask("tt_adapter", "convert")["graphs"]
    (data,) = graph["overlays"]["perf_data"].values()
    nodes = {node["id"]: {a["key"]: a for a in node["attrs"]} for node in graph["nodes"]}
    total = session.versions[0].reports["forward"].total_ns / 1000
    assert sum(r["value"] for r in data["results"].values()) == pytest.approx(total, rel=1e-4)
    where = nodes["op 0"]
    assert where["buffer_type"]["editable"]["options"] == ["dram", "l1"]
    key = where["full_location"]["value"].replace('"', "")
    other = "l1" if where["buffer_type"]["value"] == "dram" else "dram"
    edits = {key: {"attributes": [{"key": "buffer_type", "value": other}]}}
    assert ask("tt_adapter", "execute", settings={"overrides": edits}) == {"graphs": []}
    (status,) = ask("tt_adapter", "status_check")["graphs"]
    assert (status["isDone"], status["error"]) == (True, None)
    (after,) = ask("tt_adapter", "convert")["graphs"]
    assert after["id"] == "ttnn, edit 1"
    attributes = {a["key"]: a["value"] for n in after["nodes"] if n["id"] == "op 0" for a in n["attrs"]}
    assert attributes["buffer_type"] == other


def test_tt_explorer_is_told_what_cannot_be(ask: Any, session: Session) -> None:
    for edits in ({"loc(op 0 @ x)": {"attributes": [{"key": "grid_shape", "value": "[90x90]"}]}}, {"loc(op 0)": {}}):
        ask("tt_adapter", "execute", settings={"overrides": edits})
        (status,) = ask("tt_adapter", "status_check")["graphs"]
        assert "error[TT0" in status["error"]
    assert len(session.versions) == 1
    assert ask("tt_adapter", "preload")["graphs"] == [{"graphPaths": [session.path]}]


CACHE = """
func.func @step(%cache: tensor<1x2x64x32xbf16> {tt.argument_type = #tt.argument_type<"parameter">, ttir.name = "cache"},
                %x: tensor<1x2x1x32xbf16>, %at: tensor<1xi32>) -> tensor<1x2x64x32xbf16> {
  %0 = "ttir.update_cache"(%cache, %x, %at) <{batch_offset = 0 : i32}>
      : (tensor<1x2x64x32xbf16>, tensor<1x2x1x32xbf16>, tensor<1xi32>) -> tensor<1x2x64x32xbf16>
  return %0 : tensor<1x2x64x32xbf16>
}
"""


def test_ops_that_write_into_what_they_are_given() -> None:
    with open_session(CACHE, "step", None, {}) as session:
        (version,) = session.versions
        silent = [op for op in version.binary.functions[0].operations if not op.results and op.name != "deallocate"]
        assert silent, "it has no result"
        commands = Commands(session)
        command = {"extensionId": "tt_adapter", "cmdId": "convert", "modelPath": session.path}
        (graph,) = commands.answer(command)["graphs"]
        (node,) = (node for node in graph["nodes"] if node["label"] == silent[0].name)
        assert "math_fidelity" in [attribute["key"] for attribute in node["attrs"]]
        graph_, op = "ttnn", node["id"]
        values = {"op": op, "field": "memory", "value": "l1"}
        run = {"extensionId": "ttstack_edit", "cmdId": "run", "graphId": graph_, "configValues": values}
        assert set(commands.answer(run)) == {"result", "error"}
