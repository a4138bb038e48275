import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ttstack.api import load
from ttstack.cli.console import stdout
from ttstack.cli.render import show
from ttstack.system_desc import load as load_system_desc
from ttstack.system_desc import loads, to_dict

Command = Callable[..., Any]
SECTIONS = ("summary", "system-desc", "ops", "tensors", "memory", "weights", "ir")


@pytest.mark.parametrize("section", SECTIONS)
def test_every_section_prints(ttstack: Command, program: Path, section: str) -> None:
    result = ttstack("inspect", program, "--section", section)
    assert (result.code, result.err) == (0, "")
    assert result.out.strip()


def values(ttstack: Command, program: Path, section: str) -> Any:
    result = ttstack("inspect", program, "--section", section, "--format", "json")
    assert (result.code, result.err) == (0, "")
    return json.loads(result.out)


def test_summary(ttstack: Command, program: Path) -> None:
    found = values(ttstack, program, "summary")
    assert found["for"] == "n150"
    assert list(found["functions"]["forward"]["inputs"].values()) == ["tensor<64x128xf32>"] * 2
    assert found["ir stages"] == ["ttir", "ttnn"]
    assert found["pipeline"].startswith("attach-system-desc")


def test_a_long_value_is_broken_after_commas(ttstack: Command, program: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    lines = ttstack("inspect", program).out.splitlines()
    assert max(map(len, lines)) <= 60
    first = lines.index("pipeline:") + 1
    shown = "".join(line.strip() for line in lines[first : lines.index("weights: 0")])
    assert shown == values(ttstack, program, "summary")["pipeline"]


def test_system_desc(ttstack: Command, program: Path) -> None:
    assert values(ttstack, program, "system-desc") == to_dict(load_system_desc("wormhole"))


def test_ops_and_tensors(ttstack: Command, program: Path) -> None:
    (function,) = load(program).binary.functions
    ops, tensors = values(ttstack, program, "ops"), values(ttstack, program, "tensors")
    assert [op["op"] for op in ops] == [op.name for op in function.operations]
    assert [t["address"] for t in tensors] == [t.address for t in function.tensors]
    assert [t["layout"] for t in tensors] == [str(t.layout) for t in function.tensors]


def test_memory_is_what_the_report_says(ttstack: Command, program: Path) -> None:
    found = values(ttstack, program, "memory")
    memory = load(program).cost().memory
    assert max(row["l1"] for row in found) == memory["l1"].peak
    assert max(row["dram"] for row in found) == memory["dram"].peak


def test_one_function_of_several(ttstack: Command, tmp_path: Path) -> None:
    one = 'func.func @{0}(%x: tensor<32x32xf32>) -> tensor<32x32xf32> {{\n  %0 = "ttir.{0}"(%x) : (tensor<32x32xf32>) '
    one += "-> tensor<32x32xf32>\n  return %0 : tensor<32x32xf32>\n}}\n"
    model, program = tmp_path / "two.mlir", tmp_path / "two.ttb"
    model.write_text(one.format("exp") + one.format("gelu"))
    assert ttstack("compile", model, "-o", program).code == 0
    for section in ("ops", "memory", "tensors"):
        assert {row["function"] for row in values(ttstack, program, section)} == {"exp", "gelu"}
        chosen = ttstack("inspect", program, "--section", section, "--function", "gelu", "--format", "json").out
        assert {row["function"] for row in json.loads(chosen)} == {"gelu"}
    assert "there is no function 'none'" in ttstack("inspect", program, "--function", "none").err


def test_ir(ttstack: Command, program: Path) -> None:
    found = values(ttstack, program, "ir")
    assert '"ttir.softmax"' in found["ttir"]
    assert '"ttnn.softmax"' in found["ttnn"]


def test_tables_have_titles(ttstack: Command, program: Path) -> None:
    out = ttstack("inspect", program, "--section", "tensors").out
    assert out.splitlines()[0].split() == ["#", "name", "kind", "type", "layout", "address", "alias"]


@pytest.mark.parametrize("section", ["ops", "tensors", "memory"])
def test_nothing_is_cut_in_a_narrow_terminal(
    ttstack: Command, program: Path, section: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What finds no room in a row stands under it, in lines of whole words."""
    wide = ttstack("inspect", program, "--section", section).out
    monkeypatch.setenv("COLUMNS", "60")
    narrow = ttstack("inspect", program, "--section", section).out
    words = {word for word in narrow.split() if not word.endswith(":")}
    assert {word for line in wide.splitlines()[1:] for word in line.split()} <= words
    longest = max(len(word) for word in words)
    assert all(len(line.rstrip()) <= max(60, longest + 4) for line in narrow.splitlines())
    assert "function" not in wide.splitlines()[0]


def test_attributes_stand_under_their_op(ttstack: Command, program: Path) -> None:
    lines = ttstack("inspect", program, "--section", "ops").out.splitlines()
    (at,) = (i for i, line in enumerate(lines) if " softmax " in line)
    assert lines[at + 1].startswith("    dimension=1")


def test_the_device_is_printed_as_its_file(ttstack: Command, program: Path) -> None:
    assert loads(ttstack("inspect", program, "--section", "system-desc").out) == load_system_desc("wormhole")


def test_no_digit_of_a_setting_is_left_out(capsys: pytest.CaptureFixture[str]) -> None:
    show(stdout(), [{"op": "rms_norm", "attributes": {"epsilon": 1e-12, "scales": [0.125, 1]}}])
    assert "epsilon=1e-12 scales=0.125 1" in capsys.readouterr().out


def test_points_of_numbers_are_below_each_other(ttstack: Command, program: Path) -> None:
    header, *rows = ttstack("system-desc", "list").out.splitlines()
    ends = {row[: header.index("GiB") + 3].rindex(".") for row in rows}
    assert len(ends) == 1


@pytest.mark.parametrize(("section", "said"), [("ir", "--keep-ir"), ("training", "--train"), ("weights", "no weights")])
def test_a_part_that_a_program_lacks_is_named(
    ttstack: Command, program: Path, tmp_path: Path, section: str, said: str
) -> None:
    plain = tmp_path / "plain.ttb"
    assert ttstack("compile", program.with_suffix(".mlir"), "-o", plain).code == 0
    shown = ttstack("inspect", plain, "--section", section)
    assert (shown.code, said in shown.out) == (0, True)
