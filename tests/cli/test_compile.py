import json
import os
import re
import sys
from collections.abc import Callable
from pathlib import Path
from threading import Thread
from typing import Any

import onnx
import onnx.parser
import pytest

from ttstack.api import load
from ttstack.cli.compile import program_stem
from ttstack.cli.exit_codes import run
from ttstack.report.formatting import size

Command = Callable[..., Any]
UNSUPPORTED = """
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = math.tan %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}
"""
WRONG_SHAPE = """
func.func @f(%x: tensor<64x128xf32>, %y: tensor<64x127xf32>) -> tensor<64x128xf32> {
  %0 = "ttir.add"(%x, %y) : (tensor<64x128xf32>, tensor<64x127xf32>) -> tensor<64x128xf32>
  return %0 : tensor<64x128xf32>
}
"""
ADD = WRONG_SHAPE.replace("64x127", "64x128")


def test_it_prints_what_the_program_is_and_where(ttstack: Command, model: Path, tmp_path: Path) -> None:
    target = tmp_path / "out.ttb"
    result = ttstack("compile", model, "-o", target, "--dtype", "f32")
    assert (result.code, result.err) == (0, "")
    what, figures, file = result.out.splitlines()
    report = load(target).cost()
    assert what == report.heading
    assert re.fullmatch(
        rf"{len(report.ops)} ops, [\d.]+ µs predicted, likely [\d.]+ to [\d.]+ µs; "
        r"L1 [\d.]+ % of 1\.3 MiB per core, DRAM [\d.]+ % of 12\.0 GiB",
        figures,
    )
    assert file == f"wrote {target}, {target.stat().st_size / 1024:.1f} KiB"


def test_it_names_the_file_of_weights(ttstack: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "linear.py").write_text(
        "import torch\n\ndef make():\n    return torch.nn.Linear(8, 8), torch.ones(1, 8)\n"
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    out = ttstack("compile", "linear:make", "-o", "a.ttb", "--weights", "beside").out
    (beside,) = tmp_path.glob("a.*.weights.safetensors")
    assert out.splitlines()[-2:] == [
        f"wrote {path}, {size((tmp_path / path).stat().st_size)}" for path in ("a.ttb", beside.name)
    ]


@pytest.mark.parametrize(("options", "noted"), [((), True), (("--dtype", "bf16"), False), (("--dtype", "f32"), False)])
def test_float32_that_was_not_chosen_is_noted(
    ttstack: Command, tmp_path: Path, options: tuple[str, ...], noted: bool
) -> None:
    file = tmp_path / "wide.mlir"
    file.write_text(ADD.replace("64x128", "2048x1024"))
    result = ttstack("compile", file, "-o", tmp_path / "wide.ttb", *options)
    assert result.code == 0
    assert ("note: this model is float32; its ops are predicted to take " in result.err) == noted


def test_a_compilation_in_parts(ttstack: Command, model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert ttstack("compile", model, "--placement", "dram").code == 0
    first = ttstack("compile", model, "--placement", "dram", "--compile-to", "simplified", "--timings")
    assert first.out.startswith("small.simplified.mlir: simplified; ttstack compile --compile-from ")
    assert "decompose" in first.err
    second = ttstack("compile", "--compile-from", "small.simplified.mlir", "--compile-to", "placed", "--json")
    assert (second.code, json.loads(second.out)["phase"]) == (0, "placed")
    assert ttstack("compile", "--compile-from", "small.placed.mlir", "-o", "again.ttb").code == 0
    assert (tmp_path / "again.ttb").read_bytes() == (tmp_path / "small.ttb").read_bytes()
    assert ttstack("compile", "--compile-from", "small.simplified.mlir", "--placement", "greedy").code == 0
    assert (tmp_path / "again.ttb").read_bytes() != (tmp_path / "small.ttb").read_bytes()


def test_parts_that_do_not_go_together(ttstack: Command, model: Path) -> None:
    assert "give a MODEL, or --compile-from FILE" in ttstack("compile").err
    assert "give a MODEL, or --compile-from FILE" in ttstack("compile", model, "--compile-from", model).err
    assert "--train is for a model" in ttstack("compile", "--compile-from", model, "--train").err
    assert "--compile-to writes text" in ttstack("compile", model, "--keep-ir", "--compile-to", "ttnn").err


def test_passes_are_told_of_and_the_program_stays(
    model: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    def compiled(*options: str) -> tuple[bytes, str]:
        assert run(["compile", str(model), "-o", str(tmp_path / "a.ttb"), *options]) == 0
        return (tmp_path / "a.ttb").read_bytes(), capfd.readouterr().err

    plain, _ = compiled()
    program, said = compiled("--print-after", "dispatch,place")
    printed = said.split("// -----// IR Dump After ")[1:]
    assert [text.partition(" ")[0] for text in printed] == ["dispatch", "place"]
    assert program == plain
    program, said = compiled("--mlir-timing", "--timings")
    assert "Execution time report" in said
    assert [line.split()[0] for line in said.partition("\nnote: ")[0].splitlines()[-4:]] == [
        "passes",
        "emit",
        "save",
        "total",
    ]
    assert program == plain


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--print-after", "plase"], "did you mean 'place'?"),
        (["--mlir-timing", "--effects"], "cannot be combined with --dump-ir, --effects"),
        (["--mlir-timing", "--print-after", "place"], "cannot be combined with --print-after"),
        (["--mlir-timing", "--target", "cpu"], "`ttstack opt MODEL -p ttir-to-llvm` runs them in one process"),
    ],
)
def test_what_cannot_be_told_is_refused(ttstack: Command, model: Path, options: list[str], said: str) -> None:
    done = ttstack("compile", model, *options)
    assert (done.code, said in done.err) == (1, True), done.err


def test_named_after_the_model(ttstack: Command, model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert ttstack("compile", model).code == 0
    assert [p.name for p in tmp_path.iterdir()] == ["small.ttb"]


def test_options_reach_the_compiler(ttstack: Command, model: Path, tmp_path: Path) -> None:
    target = tmp_path / "out.ttb"
    options = ("--system-desc", "blackhole_p150.yaml", "--placement", "dram", "--dtype", "bf16", "--keep-ir")
    result = ttstack("compile", model, "-o", target, *options, "--dump-ir", tmp_path / "ir", "--timings")
    assert result.code == 0
    binary = load(target).binary
    assert binary.system_desc.name == "p150"
    layouts = {str(t.layout) for t in binary.functions[0].tensors}
    assert layouts == {"bf16 tile dram/interleaved"}
    assert set(binary.stages) == {"ttir", "ttnn"}
    assert (tmp_path / "ir/000-input.mlir").exists()
    phases = [line.split()[0] for line in result.err.splitlines()]
    assert phases[0] == "parse"
    assert phases[phases.index("total") + 1] == "rewrites"


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("garbage(", "TT0101"),
        (WRONG_SHAPE, "TT0101"),
        (UNSUPPORTED, "TT0201"),
    ],
)
def test_bad_models_leave_no_file(ttstack: Command, text: str, code: str, tmp_path: Path) -> None:
    source = tmp_path / "bad.mlir"
    source.write_text(text)
    result = ttstack("compile", source, "-o", tmp_path / "bad.ttb")
    assert (result.code, result.out) == (1, "")
    assert result.err.startswith(f"error[{code}]: ")
    assert list(tmp_path.iterdir()) == [source]


def test_bad_devices_leave_no_file(ttstack: Command, model: Path, tmp_path: Path) -> None:
    result = ttstack("compile", model, "-o", tmp_path / "bad.ttb", "--system-desc", "womhole")
    assert result.code == 1
    assert "did you mean 'wormhole'?" in result.err
    assert not list(tmp_path.iterdir())


def test_folders_are_checked_before_any_work(ttstack: Command, tmp_path: Path) -> None:
    for target in (tmp_path / "none/out.ttb", tmp_path):
        result = ttstack("compile", "no-such-model.mlir", "-o", target)
        assert result.code == 1
        assert result.err.startswith("error[TT0801]: ")


def test_no_such_model(ttstack: Command, tmp_path: Path) -> None:
    result = ttstack("compile", "no-such-model.mlir", "-o", tmp_path / "out.ttb")
    assert result.code == 1
    assert "'no-such-model.mlir' does not exist" in result.err


def test_the_model_is_not_overwritten(ttstack: Command, tmp_path: Path) -> None:
    model = tmp_path / "a.mlir"
    model.write_text("module {}")
    result = ttstack("compile", model, "-o", model)
    assert (result.code, model.read_text()) == (1, "module {}")
    assert "is what is read" in result.err


def test_a_pipe_is_not_replaced(ttstack: Command, model: Path, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = Thread(target=pipe.read_bytes)
    reader.start()
    result = ttstack("compile", model, "-o", pipe)
    reader.join()
    assert (result.code, pipe.is_fifo()) == (1, True)
    assert "cannot write" in result.err


def test_an_output_that_exists_survives_a_failure(ttstack: Command, tmp_path: Path) -> None:
    kept = tmp_path / "a.ttb"
    kept.write_text("kept")
    assert ttstack("compile", tmp_path / "missing.mlir", "-o", kept).code == 1
    assert [p.read_text() for p in tmp_path.iterdir()] == ["kept"]


def test_a_dump_folder_that_is_a_file(ttstack: Command, model: Path, tmp_path: Path) -> None:
    result = ttstack("compile", model, "--dump-ir", model, "-o", tmp_path / "a.ttb")
    assert (result.code, list(tmp_path.iterdir())) == (1, [])
    assert "TT0801" in result.err


def test_shapes_that_the_model_leaves_open(ttstack: Command, tmp_path: Path) -> None:
    text = '<ir_version: 8, opset_import: ["" : 17]> g (float[N, 3] x) => (y) { y = Relu(x) }'
    onnx.save(onnx.parser.parse_model(text), tmp_path / "m.onnx")
    target = tmp_path / "out.ttb"
    assert "or --input x=Nx3, with numbers" in ttstack("compile", tmp_path / "m.onnx", "-o", target).err
    assert "--input 2x3 names no input" in ttstack("compile", tmp_path / "m.onnx", "-o", target, "--input", "2x3").err
    assert ttstack("compile", tmp_path / "m.onnx", "-o", target, "--input", "x=2x3").code == 0
    assert [t.shape for t in load(target).inputs().values()] == [(2, 3)]


@pytest.mark.parametrize(
    ("model", "stem"),
    [("examples.zoo.bert:small", "bert_small"), ("bert:full", "bert_full"), ("some/model.v2.onnx", "model.v2")],
)
def test_a_program_is_named_after_its_model(model: str, stem: str) -> None:
    assert program_stem(model) == stem


def test_a_terminal_gets_the_summary_in_whole_words(
    ttstack: Command, program: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    model = program.with_suffix(".mlir")
    whole = ttstack("compile", model, "-o", "a.ttb").out
    monkeypatch.setenv("COLUMNS", "60")
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    lines = ttstack("compile", model, "-o", "a.ttb").out.splitlines()
    assert max(map(len, lines)) <= 60
    assert " ".join(line.strip() for line in lines) == " ".join(whole.splitlines())
