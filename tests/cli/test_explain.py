"""`ttstack explain`."""

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Command
from ttstack import load


def test_values_are_those_of_the_table(ttstack: Command, program: Path) -> None:
    chosen, *others = json.loads(ttstack("explain", program, 0, "--json").out)
    assert chosen["chosen"]
    assert chosen["more_ns"] == 0
    assert others
    assert not any(other["chosen"] for other in others)
    assert chosen["why"] == "no alternative is faster; the best one takes the same time"
    assert others[0]["more_ns"] < 5
    table = ttstack("explain", program, 0).out
    heading, op, *_ = table.splitlines()
    assert heading == load(program).cost().heading
    assert op.startswith(f"op 0: {load(program).function().operations[0].name} ")
    for row in (chosen, *others):
        assert str(round(row["elapsed_ns"] / 1000, 2)) in table
        assert row["grid"] in table


def test_the_chosen_placement_is_compared_with_the_best_alternative(ttstack: Command, tmp_path: Path) -> None:
    file = tmp_path / "e.ttb"
    assert ttstack("compile", "examples/encoder_layer.mlir", "-o", file).code == 0
    chosen, best, *_ = json.loads(ttstack("explain", file, 3, "--json").out)
    assert chosen["why"] == f"the fastest: the best alternative adds {best['more_ns'] / 1000:.2f} µs"


def test_others_stay_as_they_are_or_are_placed_anew(ttstack: Command, program: Path) -> None:
    assert "if only this op is placed differently; --resolve" in ttstack("explain", program, 0).out
    (staying, anew) = (json.loads(ttstack("explain", program, 0, "--json", *o).out) for o in ((), ("--resolve",)))
    assert [a["anew_ns"] for a in staying] == [None] * len(staying)
    assert all(a["anew_ns"] <= a["more_ns"] + 1e-6 for a in anew)


def test_as_many_alternatives_as_are_asked_for(ttstack: Command, program: Path) -> None:
    asked = [len(json.loads(ttstack("explain", program, 0, "--json", "--top", n).out)) for n in (1, 2, 3)]
    assert asked == [2, 3, 4]


def test_an_op_has_one_number_and_one_time(ttstack: Command, program: Path) -> None:
    report = load(program).cost()
    rows = json.loads(ttstack("inspect", program, "--section", "ops", "--format", "json").out)
    memory = json.loads(ttstack("inspect", program, "--section", "memory", "--format", "json").out)
    assert [row["#"] for row in rows] == [row["#"] for row in memory]
    assert [(row["#"], row["op"]) for row in rows if row["#"] is not None] == [(o.index, o.name) for o in report.ops]
    assert {row["op"] for row in rows if row["#"] is None} == {"deallocate"}
    for op in report.ops:
        assert ttstack("explain", program, op.index).out.splitlines()[1] == f"op {op.index}: {op.name} {op.location}"
        (chosen, *_) = json.loads(ttstack("explain", program, op.index, "--json").out)
        assert chosen["elapsed_ns"] == pytest.approx(op.elapsed_ns)
    compared = json.loads(ttstack("compare", program, program, "--json").out)["ops"]
    assert [op["before_index"] for op in compared] == [op["after_index"] for op in compared] == [0, 1]
    assert [op["before_elapsed_ns"] for op in compared] == [op.elapsed_ns for op in report.ops]
    told = json.loads(ttstack("perf", program, "--json").out)
    assert sum(op["elapsed_ns"] for op in told["ops"]) == pytest.approx(told["total_ns"])


@pytest.mark.parametrize("name", ["softmax", "small.mlir:5", "*:5", "…all.mlir:5", "softmax small.mlir:5", "softmax *"])
def test_ways_to_name_an_op(ttstack: Command, program: Path, name: str) -> None:
    assert ttstack("explain", program, name).out == ttstack("explain", program, 1).out


@pytest.mark.parametrize(
    ("op", "what"),
    [
        ("999", "there is no op 999; 'forward' has 2, from 0 on"),
        ("nowhere", "no op is 'nowhere'"),
        ("*", "2 ops are '*'"),
        ("small.mlir:*", "= note: 0: multiply "),
        ("deallocate", "no op is 'deallocate': deallocate launches nothing there, and has no number"),
    ],
)
def test_ops_that_cannot_be_explained(ttstack: Command, program: Path, op: str, what: str) -> None:
    result = ttstack("explain", program, op)
    assert result.code == 1
    assert what in result.err


def test_what_the_library_does_by_itself_is_a_way_with_a_name(ttstack: Command, program: Path) -> None:
    ways = json.loads(ttstack("explain", program, 0, "--json").out)
    (default,) = (way for way in ways if way["name"])
    assert default["name"] == "ttnn's default"
    assert {layout.split()[-1] for layout in (*default["operands"], *default["results"])} == {"dram/interleaved"}
    fewest = json.loads(ttstack("explain", program, 0, "--json", "--top", 1).out)
    assert [way["name"] for way in fewest] == [None, "ttnn's default"]
    said = f"ttnn's default: {default['more_ns'] / 1000:+z.2f} µs compared with the program"
    assert said in ttstack("explain", program, 0).out


def test_a_composite_op_names_its_kernels_and_no_grid(ttstack: Command, tmp_path: Path) -> None:
    model = tmp_path / "m.mlir"
    model.write_text(
        "func.func @f(%i: tensor<2x32xi32>, %t: tensor<64x32xf32>) -> tensor<2x32x32xf32> {\n"
        '  %0 = "ttir.embedding"(%i, %t) : (tensor<2x32xi32>, tensor<64x32xf32>) -> tensor<2x32x32xf32>\n'
        "  return %0 : tensor<2x32x32xf32>\n}\n"
    )
    assert ttstack("compile", model, "-o", tmp_path / "m.ttb").code == 0
    composite = next(op for op in load(tmp_path / "m.ttb").cost().ops if len(op.calls) > 1)
    shown = ttstack("explain", tmp_path / "m.ttb", composite.index).out
    assert f"composed of {len(composite.calls)} kernels" in shown
    header = next(line for line in shown.splitlines() if line.startswith("placement"))
    assert "grid" not in header.split()
