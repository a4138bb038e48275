"""What placement decided, why, and what would be otherwise: in Python as on the command line."""

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import ttstack
from ttstack.placement.trace import traces_dict
from ttstack.system_desc.what_if import what_if

EXAMPLES = Path(__file__).parents[2] / "examples"
ENCODER = str(EXAMPLES / "encoder_layer.mlir")


@pytest.fixture(scope="module")
def program() -> ttstack.Program:
    return ttstack.compile(ENCODER, keep_decisions=True)


@pytest.fixture(scope="module")
def found(program: ttstack.Program) -> dict[str, Any]:
    return json.loads(json.dumps(traces_dict(program.decisions)))["functions"]["forward"]


def test_all_ops_and_what_they_have(program: ttstack.Program, found: dict[str, Any]):
    placed = [op for op in program.cost().ops if op.name != "to_layout"]
    assert [d["op"] for d in found["decisions"]] == [op.name for op in placed]
    taken = [d["candidates"][d["taken"]] for d in found["decisions"]]
    assert [c["results"] for c in taken] == [[str(t.layout) for t in op.results] for op in placed]
    assert [c["elapsed_ns"] for c in taken] == pytest.approx([op.elapsed_ns for op in placed])
    assert {(c["more_ns"], c["why"]) for c in taken} == {(0, "taken")}


def test_prices_say_why(found: dict[str, Any]):
    others = [(d["candidates"][d["taken"]], c) for d in found["decisions"] for c in d["candidates"]]
    others = [(taken, c) for taken, c in others if c["why"] != "taken"]
    assert len(others) > 50
    assert all(c["more_ns"] >= 0 for _, c in others if "L1 at" not in c["why"] and not c["why"].startswith("faster"))
    slower = [(taken, c) for taken, c in others if c["why"] == "the op itself is slower"]
    assert all(c["elapsed_ns"] + c["doubt_ns"] > t["elapsed_ns"] + t["doubt_ns"] for t, c in slower)


def test_parts_add_up(found: dict[str, Any]):
    """Candidates of one op differ by what they, changes before them and changes for their readers cost."""
    parts = ("elapsed_ns", "doubt_ns", "operand_changes_ns", "reader_changes_ns")
    last = found["decisions"][-1]
    sums = [sum(c[p] for p in parts) for c in last["candidates"] if c["more_ns"] is not None]
    more = [c["more_ns"] for c in last["candidates"] if c["more_ns"] is not None]
    assert max(more) > 0
    assert [s - sums[last["taken"]] for s in sums] == pytest.approx(more, abs=1e-3)


def test_optimal_leaves_nothing_faster():
    trace = ttstack.compile(ENCODER, placement="optimal", keep_decisions=True).decisions["forward"]
    assert trace.bound_ns is not None
    fitting = [c for d in trace.decisions for c in d.candidates if "L1" not in c.why]
    assert min(c.more_ns for c in fitting) > -1e-6


def test_explain_in_python(program: ttstack.Program):
    first, *others = program.explain(2, top=3)
    assert (first.chosen, first.more_ns, len(others)) == (True, 0, 3)
    assert all(a.more_ns <= b.more_ns for a, b in pairwise(others))
    assert program.explain("encoder_layer.mlir:36")[0].chosen
    with pytest.raises(ttstack.TTStackError, match="there is no op 99"):
        program.explain(99)
    with pytest.raises(ttstack.TTStackError, match="2 ops are 'layer_norm'"):
        program.explain("layer_norm")


def test_compare_in_python(program: ttstack.Program):
    other = ttstack.compile(ENCODER, placement="dram")
    assert program.compare(other).after.total_ns == other.cost().total_ns
    device, _ = what_if(program.binary.system_desc, ["clock=1.2GHz"])
    assert program.compare(device).after.total_ns == program.what_if("clock=1.2GHz").after.total_ns
    with pytest.raises(ttstack.TTStackError, match="does not fit p150"):
        program.compare("blackhole_p150")
    again = program.compare("blackhole_p150", recompile=ENCODER)
    assert again.after.total_ns == ttstack.compile(ENCODER, system_desc="blackhole_p150").cost().total_ns
    with pytest.raises(ttstack.TTStackError, match="is not the model that the program was compiled from"):
        program.compare("blackhole_p150", recompile=str(EXAMPLES / "dlrm.mlir"))


def test_what_if_in_python(program: ttstack.Program):
    faster = program.what_if("clock=1.2GHz")
    assert faster.after.total_ns < faster.before.total_ns
    both = program.what_if(["clock=1.2GHz", "l1_size=2MiB"], recompile=ENCODER)
    assert both.after.total_ns < both.before.total_ns
    with pytest.raises(ttstack.TTStackError, match="clok"):
        program.what_if("clok=1.2GHz")


def test_overrides_and_ir_in_python(tmp_path: Path, program: ttstack.Program):
    same = ttstack.compile(ENCODER, overrides=program.overrides(), keep_ir=True)
    assert same.function() == program.function()
    assert list(same.ir) == ["ttir", "ttnn"]
    assert '"ttnn.linear"' in same.ir["ttnn"]
    assert not program.ir
