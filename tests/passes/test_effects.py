"""What is said of each pass of a compilation."""

import json
import re
from pathlib import Path

import pytest

import ttstack
from ttstack.cli.exit_codes import run
from ttstack.cli.pass_tables import print_rewrites, print_timings
from ttstack.passes.outcomes import SLOWER
from ttstack.passes.pass_log import PassSummary

T = "tensor<64x64xf32>"
MODEL = f"""func.func @f(%x: {T}, %w: {T}, %b: tensor<64xf32>) -> {T} {{
  %0 = "ttir.neg"(%x) : ({T}) -> {T}
  %1 = "ttir.neg"(%0) : ({T}) -> {T}
  %2 = "ttir.matmul"(%1, %w) : ({T}, {T}) -> {T}
  %3 = "ttir.add"(%2, %b) : ({T}, tensor<64xf32>) -> {T}
  return %3 : {T}
}}"""


def test_each_pass_says_what_it_left():
    effects = ttstack.compile(MODEL, keep_effects=True).effects
    assert (effects[0].name, effects[0].stage) == ("source", None)
    assert (effects[0].name, effects[0].ops, effects[0].nbytes) == ("source", 4, 4 * 64 * 64 * 4)
    by_name = {effect.name: effect for effect in effects}
    fused = by_name["fuse-bias"]
    assert (fused.stage, fused.ops) == ("norms", 1)
    assert fused.alone_ns < effects[0].alone_ns
    assert "canonicalize" not in by_name, "a pass that changes nothing is left out"
    assert not ttstack.compile(MODEL).effects


def test_each_pass_says_which_rewrites_it_applied_and_declined():
    model = (
        MODEL.replace("ttir.neg", "ttir.relu")
        .replace(
            "%0 = ",
            f"""%y = "ttir.slice_static"(%w) <{{begins = [0 : i32,
      0 : i32], ends = [64 : i32, 1 : i32], step = [1 : i32, 1 : i32]}}> : ({T}) -> tensor<64x1xf32>
  %z = "ttir.slice_static"(%w) <{{begins = [0 : i32, 0 : i32], ends = [1 : i32, 64 : i32],
      step = [1 : i32, 1 : i32]}}> : ({T}) -> tensor<1x64xf32>
  %0 = """,
        )
        .replace("(%1, %w)", "(%1, %o)")
        .replace(
            "  %2 =",
            f"""  %o = "ttir.multiply"(%y, %z) : (tensor<64x1xf32>,
      tensor<1x64xf32>) -> {T}
  %2 =""",
        )
    )
    effects = {effect.name: effect for effect in ttstack.compile(model, keep_effects=True).effects}
    outer = effects["outer-product-to-matmul"]
    assert outer.applied + sum(outer.declined.values()) > 0
    assert set(outer.declined) <= {SLOWER}
    assert effects["fuse-bias"].applied == 1


def test_what_is_left_is_what_is_placed():
    program = ttstack.compile(MODEL, keep_effects=True)
    assert program.effects[-1].ops == len(program.cost().ops)


def test_the_command_prints_them(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    file = tmp_path / "m.mlir"
    file.write_text(MODEL)
    assert run(["compile", str(file), "-o", str(tmp_path / "m.ttb"), "--effects"]) == 0
    printed = capsys.readouterr().err
    assert [line.split()[0] for line in printed.splitlines()][:2] == ["pass", "source"]
    assert re.search(r"^norms +1 .*\n  fuse-bias +1 ", printed, re.MULTILINE)
    assert re.search(r"^norms +1 +1 +0 +0 *\n  fuse-bias +1 +1 +0 +0 *$", printed, re.MULTILINE)
    assert run(["compile", str(file), "-o", str(tmp_path / "m.ttb"), "--effects", "--json"]) == 0
    effects = json.loads(capsys.readouterr().out)["effects"]
    assert effects[0]["name"] == "source"
    assert effects[-1]["ops"] < effects[0]["ops"]


SUMMARIES = (
    PassSummary("check-mesh", None, 0.5, 0, {}),
    PassSummary("fold-masks", "attention", 0.001, 2, {SLOWER: 3, "the mask has a row for each head": 4}),
    PassSummary("fuse-rotary", "attention", 0.002, 1, {}),
    PassSummary("fuse", "fusion", 0.004, 0, {}),
)


def test_rewrites_are_added_up_by_stage(capsys: pytest.CaptureFixture[str]):
    print_rewrites(SUMMARIES)
    lines = [line.rstrip() for line in capsys.readouterr().err.splitlines()]
    assert lines == [
        "rewrites       matched  applied  not faster  not allowed",
        "attention           10        3           3            4",
        "  fold-masks         9        2           3            4",
        "  fuse-rotary        1        1           0            0",
        "fold-masks: 4 x the mask has a row for each head",
    ]


def test_seconds_are_added_up_by_stage(capsys: pytest.CaptureFixture[str]):
    phases = {"parse": 1.0, **{run.name: run.seconds for run in SUMMARIES}, "emit": 2.0}
    print_timings(phases, SUMMARIES)
    lines = capsys.readouterr().err.splitlines()
    assert [line.rsplit(maxsplit=2)[0].rstrip() for line in lines] == [
        "parse",
        "check-mesh",
        "attention",
        "  fold-masks",
        "  fuse-rotary",
        "fusion",
        "  fuse",
        "emit",
        "total",
    ]
    assert [float(line.split()[-2]) for line in lines] == [1000.0, 500.0, 3.0, 1.0, 2.0, 4.0, 4.0, 2000.0, 3507.0]


def test_tables_fit_80_columns(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    file = tmp_path / "m.mlir"
    file.write_text(MODEL)
    long = PassSummary("convolution-by-shifted-slices", "images", 1.0, 10_000, {"a " * 40 + "reason": 10_000})
    print_rewrites([long])
    assert run(["compile", str(file), "-o", str(tmp_path / "m.ttb"), "--effects", "--timings"]) == 0
    printed = capsys.readouterr().err
    assert "  place " in printed
    assert max(len(line.rstrip()) for line in printed.splitlines() if not line.startswith("note: ")) <= 80


def test_a_pass_that_is_inserted_into_a_stage_counts_there():
    passes = ttstack.compile(MODEL, passes={"after:fuse-bias": ["canonicalize"]}).passes
    (at,) = (i for i, run in enumerate(passes) if run.name == "fuse-bias")
    assert [(run.name, run.stage) for run in passes[at : at + 2]] == [("fuse-bias", "norms"), ("canonicalize", "norms")]
    assert {run.stage for run in passes if run.name == "canonicalize-movement"} == {"movement", "parallel"}
    assert [run.applied for run in passes if run.name == "fuse-bias"] == [1]
    assert not ttstack.Program(ttstack.compile(MODEL).binary).passes
