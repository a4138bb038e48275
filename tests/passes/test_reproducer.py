"""The files that failed passes leave behind."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

import ttstack
from ttstack.diagnostics import InvalidIRError, PlugInError, SourceError
from ttstack.mlir import ir
from ttstack.passes.base import Pass
from ttstack.passes.functions import body, functions
from ttstack.passes.reproducer import reproducer_pipeline

T = "tensor<32x32xf32>"
MODEL = f'func.func @f(%0: {T}) -> {T} {{\n  %1 = "ttir.cos"(%0) : ({T}) -> {T}\n  return %1 : {T}\n}}'


class Breaks(Pass):
    """Fails by a fault of its own where there is a cosine."""

    name = "breaks"

    def run(self, module: ir.Module) -> None:
        for function in functions(module):
            assert "ttir.cos" not in {op.name for op in body(function)}, "cosine"


class LeavesInvalid(Pass):
    """Makes an op of a wrong type."""

    name = "leaves-invalid"

    def run(self, module: ir.Module) -> None:
        (function,) = functions(module)
        first, *_ = body(function)
        with ir.InsertionPoint(first), first.location:
            ir.Operation.create("ttir.add", results=[first.results[0].type], operands=[first.operands[0]] * 3)


@pytest.mark.parametrize(("own", "kind"), [(Breaks, PlugInError), (LeavesInvalid, InvalidIRError)])
def test_a_pass_that_breaks_leaves_the_module_and_the_command(own: type[Pass], kind: type[Exception]):
    with pytest.raises(kind) as caught:
        ttstack.compile(MODEL, passes={"after:fuse": [own()]})
    said = "\n".join([str(caught.value), *getattr(caught.value, "__notes__", ())])
    found = re.search(r"run it again with: ttstack .*opt --run-reproducer (\S+ttstack-\w+\.mlir)", said)
    assert found is not None, said
    written = Path(found[1])
    command, _, text = written.read_text().partition("\n")
    assert command.startswith(f"// ttstack opt {written} -p ")
    assert f",{own.name}," in command
    assert "ttir.cos" in text
    written.unlink()


def test_a_fault_of_the_input_leaves_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    big = MODEL.replace(T, "tensor<65536x65536xf32>")
    with pytest.raises(ttstack.TTStackError):
        ttstack.compile(big)
    assert not list(tmp_path.glob("ttstack-*.mlir"))


def test_the_reproducer_fails_alike(tmp_path: Path):
    plug_in = tmp_path / "mine.py"
    plug_in.write_text(
        "from ttstack.passes.base import Pass\n\n\nclass Mine(Pass, name='mine'):\n"
        "    def run(self, module):\n        raise RuntimeError('mine broke')\n"
    )
    (tmp_path / "m.mlir").write_text(MODEL)
    start = [sys.executable, "-m", "ttstack.cli", "--load", str(plug_in)]
    inserted = ["compile", "m.mlir", "--insert-pass", "after:fuse=mine"]
    done = subprocess.run([*start, *inserted], cwd=tmp_path, capture_output=True, text=True, check=False)
    found = re.search(r"run it again with: ttstack .*opt --run-reproducer (\S+ttstack-\w+\.mlir)", done.stderr)
    assert found is not None, done.stderr
    again = [*start, "opt", "--run-reproducer", found[1]]
    failed = subprocess.run(again, capture_output=True, text=True, check=False)
    assert "mine broke" in failed.stderr
    Path(found[1]).unlink()


def test_files_that_are_no_reproducers_or_execute_code_are_refused():
    assert reproducer_pipeline('// ttstack --load a.py opt /tmp/x.mlir -p "fuse,cse{a=1 b=2}"\nmodule {}', "x") == (
        "fuse,cse{a=1 b=2}"
    )
    for text, why in (
        ("module {}", "'x' is not a reproducer"),
        ('// ttstack opt x -p "apply-patterns{file=evil.py}"\n', "execute the code of a file of patterns"),
    ):
        with pytest.raises(SourceError, match=why):
            reproducer_pipeline(text, "x")
