"""What is said of each pass of a compilation."""

import json
from pathlib import Path

import pytest

import ttstack
from ttstack.cli.exit_codes import run

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
    assert (effects[0].name, effects[0].ops, effects[0].nbytes) == ("source", 4, 4 * 64 * 64 * 4)
    by_name = {effect.name: effect for effect in effects}
    fused = by_name["fuse-bias"]
    assert fused.ops == 1
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
    assert set(outer.declined) <= {"no candidate reduces the predicted time"}
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
    assert "fuse-bias" in printed
    assert run(["compile", str(file), "-o", str(tmp_path / "m.ttb"), "--effects", "--json"]) == 0
    effects = json.loads(capsys.readouterr().out)["effects"]
    assert effects[0]["name"] == "source"
    assert effects[-1]["ops"] < effects[0]["ops"]
