"""Plug-ins on the command line; each command in a process of its own, as what a plug-in defines stays."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MODEL = """func.func @f(%x: tensor<32x64xf32>, %s: tensor<32x1xf32>) -> tensor<32x64xf32> {
  %0 = "ttir.multiply"(%x, %s) : (tensor<32x64xf32>, tensor<32x1xf32>) -> tensor<32x64xf32>
  return %0 : tensor<32x64xf32>
}
"""
CALL = """func.func @f(%x: tensor<32x64xf32>, %s: tensor<32x1xf32>) -> tensor<32x64xf32> {
  %0 = stablehlo.custom_call @mine.row_scale(%x, %s) : (tensor<32x64xf32>, tensor<32x1xf32>) -> tensor<32x64xf32>
  return %0 : tensor<32x64xf32>
}
"""


def ttstack(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    paths = os.pathsep.join((str(ROOT), str(ROOT / "runtime"), str(ROOT / "examples" / "plugin")))
    command = [sys.executable, "-m", "ttstack.cli", *arguments]
    return subprocess.run(
        command, cwd=cwd, env={**os.environ, "PYTHONPATH": paths}, capture_output=True, text=True, check=False
    )


def test_an_op_of_a_plug_in_is_compiled_saved_and_run_with_it(tmp_path: Path):
    (tmp_path / "m.mlir").write_text(MODEL)
    inserted = "after:fuse=fuse-row-scale"
    made = ttstack("--load", "row_scale.fuse", "compile", "m.mlir", "--insert-pass", inserted, cwd=tmp_path)
    assert made.returncode == 0, made.stderr
    shown = ttstack("--load", "row_scale.op", "perf", "m.ttb", cwd=tmp_path)
    assert "row_scale" in shown.stdout
    refused = ttstack("run", "m.ttb", cwd=tmp_path)
    assert refused.returncode != 0
    assert "needs row_scale.op, which defines row_scale" in refused.stderr
    assert "ttstack --load row_scale.op" in refused.stderr


def test_the_tests_of_the_example_pass(tmp_path: Path):
    tests = str(ROOT / "examples" / "plugin" / "tests")
    done = ttstack("--load", "row_scale.fuse", "filecheck", tests, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, "2 files, 4 RUN lines, 0 failed\n"), done.stdout + done.stderr


def test_a_conversion_of_a_plug_in_reads_calls(tmp_path: Path):
    (tmp_path / "m.mlir").write_text(CALL)
    refused = ttstack("compile", "m.mlir", cwd=tmp_path)
    assert "row_scale" in refused.stderr
    assert not (tmp_path / "m.ttb").exists()
    made = ttstack("--load", "row_scale.conversion", "compile", "m.mlir", cwd=tmp_path)
    assert made.returncode == 0, made.stderr


def test_a_file_can_be_a_plug_in(tmp_path: Path):
    (tmp_path / "m.mlir").write_text(MODEL)
    (tmp_path / "mine.py").write_text(
        "from ttstack.passes.base import Pass\n\n\n"
        "class Mark(Pass, name='mark'):\n"
        "    def run(self, module):\n"
        "        module.operation.attributes['mine.seen'] = __import__('ttstack.mlir').mlir.ir.UnitAttr.get()\n"
    )
    shown = ttstack("--load", "mine.py", "opt", "m.mlir", "-p", "mark", cwd=tmp_path)
    assert "mine.seen" in shown.stdout, shown.stderr


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("none.py", None, "there is no file 'none.py'"),
        ("no_module", None, "there is no module 'no_module'\n  = help: give a Python file"),
        ("no_module.inner", None, "there is no module 'no_module.inner'\n  = help: give a Python file"),
        ("bad", "import nothing_such", "the plug-in 'bad' cannot be imported: ModuleNotFoundError"),
        ("bad.py", "x = 1\nraise ValueError('no')\n", "'bad.py' does not run: ValueError: no\n  --> bad.py:2"),
    ],
)
def test_what_is_wrong_with_a_plug_in_is_said(tmp_path: Path, name: str, text: str | None, said: str):
    if text is not None:
        (tmp_path / name).with_suffix(".py").write_text(text)
    done = ttstack("--load", name, "opt", "m.mlir", cwd=tmp_path)
    assert done.returncode != 0
    assert "frozen" not in done.stderr
    assert f"error[TT0304]: {said}" in done.stderr


RAISES = """from ttstack.passes.base import Pass


class Mine(Pass, name="mine"):
    def run(self, module):
        {}["missing"]
"""


def test_a_pass_that_raises_is_named_with_its_line_and_its_reproducer_fails_alike(tmp_path: Path):
    (tmp_path / "m.mlir").write_text(MODEL)
    (tmp_path / "mine.py").write_text(RAISES)
    made = ttstack("--load", "mine.py", "compile", "m.mlir", "--insert-pass", "after:fuse=mine", cwd=tmp_path)
    said = "error[TT0304]: pass 'mine' failed: KeyError: 'missing'\n  --> "
    assert said in made.stderr
    assert "mine.py:6\n" in made.stderr
    assert re.search(r'traceback:\n +File ".*mine.py", line 6, in run\n', made.stderr)
    (command,) = re.findall(r"run it again with: ttstack (.*)", made.stderr)
    again = shlex.split(command)
    assert again[-2] == "--run-reproducer"
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    assert said in ttstack(*again, cwd=elsewhere).stderr
    file = Path(again[-1])
    file.unlink()


@pytest.mark.parametrize(("variable", "option"), [("", ()), ("1", ()), ("", ("-v",))])
def test_a_pass_that_raises_shows_its_own_frames(
    tmp_path: Path, variable: str, option: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("TTSTACK_DEBUG", variable)
    (tmp_path / "m.mlir").write_text(MODEL)
    (tmp_path / "mine.py").write_text(RAISES)
    err = ttstack("--load", "mine.py", *option, "opt", "m.mlir", "-p", "mine", cwd=tmp_path).stderr
    (frame,) = re.findall(r'File "(.*)", line (\d+), in (\w+)', err)
    assert (Path(frame[0]).name, *frame[1:]) == ("mine.py", "6", "run")
    assert re.search(r"traceback:\n.*\n +\{\}\[\"missing\"\]\n.*\n? *KeyError: 'missing'\n", err)


PATTERN = """from ttstack.dialects.ttir import views
from ttstack.patterns import pattern


def inner(op):
    return op.nothing_such


@pattern
def mine(op: views.Multiply):
    return inner(op)
"""


def test_a_pattern_that_raises_in_the_child_shows_its_frames(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("TTSTACK_ISOLATE", raising=False)
    (tmp_path / "m.mlir").write_text(MODEL)
    (tmp_path / "mine.py").write_text(PATTERN)
    err = ttstack("opt", "m.mlir", "--patterns", "mine.py", cwd=tmp_path).stderr
    found = [name for _, _, name in re.findall(r'File "(.*mine.py)", line (\d+), in (\w+)', err)]
    assert found == ["mine", "inner"], err


def test_a_program_names_the_file_of_its_plug_in(tmp_path: Path):
    (tmp_path / "m.mlir").write_text(MODEL)
    op, find = ((ROOT / "examples" / "plugin" / "row_scale" / f"{name}.py").read_text() for name in ("op", "fuse"))
    (tmp_path / "my_op.py").write_text(op + re.sub("from row_scale import .*", "", find))
    made = ttstack(
        "--load", "my_op.py", "compile", "m.mlir", "--insert-pass", "after:fuse=fuse-row-scale", cwd=tmp_path
    )
    assert made.returncode == 0, made.stderr
    assert "ttstack --load my_op.py" in ttstack("run", "m.ttb", cwd=tmp_path).stderr


def install_device(folder: Path, value: str) -> None:
    """A distribution with an entry point, as pip leaves one, in the folder of a process."""
    (folder / "mine.yaml").write_text("name: mine\nchips:\n  - base: wormhole.yaml\n    l1:\n      size_bytes: 1 MiB\n")
    (folder / "my_device.py").write_text("from pathlib import Path\n\nDEVICE = Path(__file__).with_name('mine.yaml')\n")
    (folder / "mine-0.1.dist-info").mkdir()
    (folder / "mine-0.1.dist-info" / "METADATA").write_text("Metadata-Version: 2.1\nName: mine\nVersion: 0.1\n")
    (folder / "mine-0.1.dist-info" / "entry_points.txt").write_text(f"[ttstack.targets]\nmy_board = {value}\n")


def test_a_device_of_a_plug_in_goes_by_its_name(tmp_path: Path):
    install_device(tmp_path, "my_device:DEVICE")
    (tmp_path / "m.mlir").write_text(MODEL)
    made = ttstack("compile", "m.mlir", "--system-desc", "my_board", cwd=tmp_path)
    assert " on mine, ttnn 0.81" in made.stdout, made.stderr
    assert "my_board" in ttstack("system-desc", "list", cwd=tmp_path).stdout
    assert "did you mean 'my_board'?" in ttstack("system-desc", "check", "my_bord", cwd=tmp_path).stderr


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("my_device:NONE", "the installed device 'my_board' (my_device:NONE) cannot be imported: AttributeError"),
        ("my_device:Path", "the installed device 'my_board' (my_device:Path) is not a path of a file"),
    ],
)
def test_what_is_wrong_with_an_installed_device_is_said(tmp_path: Path, value: str, said: str):
    install_device(tmp_path, value)
    done = ttstack("system-desc", "check", "my_board", cwd=tmp_path)
    assert done.returncode == 1
    assert f"error[TT0304]: {said}" in done.stderr
