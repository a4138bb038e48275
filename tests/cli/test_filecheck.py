"""`ttstack filecheck`: RUN lines without a shell, CHECK lines, and what untrusted files may not do."""

import json
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import Command
from ttstack.cli.app import app
from ttstack.cli.run_line_trust import ALLOWED

BODY = """
// CHECK-LABEL: func.func @f
// CHECK: "ttir.exp"
// KEPT-COUNT-2: "ttir.exp"
// TYPO: there is no pass or pipeline 'csee'
func.func @f(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = "ttir.exp"(%x) : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = "ttir.exp"(%x) : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %2 = "ttir.add"(%0, %1) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %2 : tensor<4x4xf32>
}
"""
GOOD = """// RUN: ttstack opt %s -p cse | filecheck %s
// RUN: ttstack opt %s \\
// RUN:   | filecheck %s --check-prefix=KEPT
// RUN: not ttstack opt %s -p csee 2>&1 | filecheck %s --check-prefix TYPO
// RUN: ttstack opt %s -p "cse" > %t.mlir
// RUN: filecheck %s --input-file=%t.mlir
// RUN: ttstack compile %s --dtype bf16 -o %t.ttb
// RUN: ttstack perf %t.ttb --all
"""


def write(folder: Path, lines: str, name: str = "m.mlir") -> Path:
    (file := folder / name).write_text(lines + BODY)
    return file


def test_lines_run_without_a_shell(ttstack: Command, tmp_path: Path) -> None:
    file = write(tmp_path, GOOD)
    done = ttstack("filecheck", tmp_path)
    assert (done.code, done.out) == (0, "1 file, 7 RUN lines, 0 failed\n")
    assert [*tmp_path.iterdir()] == [file]


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("ttstack opt %s -p cse | filecheck %s --check-prefix=KEPT", "KEPT"),
        ("ttstack opt %s | filecheck %s --check-prefix=NONE", "No check strings found with prefix NONE"),
        ("ttstack opt %s -p csee", "exit code 1, 0 is expected\nerror[TT0301]: "),
        ("not ttstack opt %s", "exit code 0, a failure is expected"),
    ],
)
def test_a_line_that_fails_is_shown_with_its_reason(ttstack: Command, tmp_path: Path, line: str, why: str) -> None:
    file = write(tmp_path, f"// RUN: {line}\n// RUN: ttstack opt %s\n")
    done = ttstack("filecheck", file)
    assert done.code == 1
    assert f"FAIL {file}:1: {line}\n" in done.out
    assert why in done.out
    assert done.out.endswith("1 file, 2 RUN lines, 1 failed\n")
    found = json.loads(ttstack("filecheck", file, "--json").out)
    assert (found["files"], found["lines"]) == (1, 2)
    (failed,) = found["failed"]
    assert (failed["file"], failed["line"], failed["command"]) == (str(file), 1, line)


@pytest.mark.parametrize(
    "line",
    [
        "touch x",
        "ttstack opt %s; touch x",
        "ttstack opt %s && touch x",
        "ttstack opt %s | tee x",
        "ttstack opt %s > x",
        "ttstack opt %s | filecheck other.mlir",
        'ttstack opt "%s',
        "filecheck %s",
        "ttstack opt %s | filecheck %s --dump-input=always",
    ],
)
def test_other_forms_are_refused(ttstack: Command, tmp_path: Path, line: str) -> None:
    file = write(tmp_path, f"// RUN: {line}\n")
    done = ttstack("filecheck", file, "--trust")
    assert done.code == 1
    assert f"  --> {file}:1" in done.err
    assert [*tmp_path.iterdir()] == [file]


@pytest.mark.parametrize(
    "line",
    [
        "ttstack --load evil.py opt %s",
        "ttstack opt %s --patterns evil.py",
        'ttstack opt %s -p "apply-patterns{file=evil.py}"',
        "ttstack opt %s -o ../x.mlir",
        "ttstack opt %s -o/tmp/x.mlir",
        "ttstack opt %s -o %S/x.mlir",
        "ttstack opt %s > %t/../../x.mlir",
        "ttstack compile evil:model",
        "ttstack compile %s --target cpu -o %t.so",
        "ttstack compile %s --insert-pass after:fuse=evil",
        "ttstack reduce %s --keeps 'touch x'",
        "ttstack check %s --python evil",
    ],
)
def test_lines_of_untrusted_files_execute_no_code_and_name_no_other_files(
    ttstack: Command, tmp_path: Path, line: str
) -> None:
    file = write(tmp_path, f"// RUN: {line}\n")
    (tmp_path / "evil.py").write_text("raise SystemExit('executed')")
    done = ttstack("filecheck", file)
    assert done.code == 1
    assert "which may execute code, or read or write other files" in done.err
    assert "--trust" in done.err
    assert {path.name for path in tmp_path.iterdir()} == {"m.mlir", "evil.py"}


def test_an_untrusted_file_is_not_overwritten(ttstack: Command, tmp_path: Path) -> None:
    """`%s` is a copy, and other names are in a folder that is removed."""
    file = write(tmp_path, "// RUN: ttstack opt %s -o out.mlir\n// RUN: ttstack compile %s -o out.ttb\n")
    before = file.read_bytes()
    assert ttstack("filecheck", file).code == 0
    assert file.read_bytes() == before
    assert [*tmp_path.iterdir()] == [file]


def test_a_trusted_file_can_use_patterns_next_to_it(ttstack: Command, tmp_path: Path) -> None:
    (tmp_path / "ideas.py").write_text(
        "from ttstack.patterns import pattern, ttir, views\n\n\n"
        "@pattern\ndef exp_is_neg(op: views.Exp):\n    return ttir.neg(op.input)\n"
    )
    lines = "// RUN: ttstack opt %s --patterns %S/ideas.py | filecheck %s --check-prefix=NEG\n// NEG: ttir.neg\n"
    assert ttstack("filecheck", write(tmp_path, lines), "--trust").code == 0


def test_a_trusted_file_can_load_passes_in_several_lines(ttstack: Command, tmp_path: Path) -> None:
    (tmp_path / "my_pass.py").write_text(
        "from ttstack.mlir import ir\nfrom ttstack.passes.base import Pass\n\n\n"
        "class Mark(Pass, name='mark-module'):\n"
        "    def run(self, module):\n"
        "        module.operation.attributes['my.mark'] = ir.UnitAttr.get()\n"
    )
    line = "// RUN: ttstack --load %S/my_pass.py opt %s -p mark-module --allow-unregistered-dialect"
    check = " | filecheck %s --check-prefix=MARK\n"
    done = ttstack("filecheck", write(tmp_path, 2 * (line + check) + "// MARK: my.mark\n"), "--trust")
    assert done.code == 0, done.out + done.err


def test_files_without_run_lines(ttstack: Command, tmp_path: Path) -> None:
    write(tmp_path, "// RUN: ttstack opt %s\n", "a.mlir")
    other = write(tmp_path, "", "b.mlir")
    assert ttstack("filecheck", tmp_path).out == "1 file, 1 RUN line, 0 failed\n"
    done = ttstack("filecheck", other)
    assert done.code == 1
    assert f"no RUN lines in {other}" in done.err
    assert "cannot read" in ttstack("filecheck", tmp_path / "none.mlir").err


def test_options_that_are_allowed_are_options_of_their_commands() -> None:
    import typer

    group = typer.main.get_command(app)
    for command, options in ALLOWED.items():
        known = {name for p in group.commands[command].params for name in (*p.opts, *p.secondary_opts)}  # pyright: ignore[reportAttributeAccessIssue]
        assert set(options) <= known, command


def test_the_package_is_named_where_it_is_missing(
    ttstack: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "filecheck.finput", None)
    done = ttstack("filecheck", write(tmp_path, "// RUN: ttstack opt %s | filecheck %s\n"))
    assert done.code == 1
    assert "pip install 'ttstack[filecheck]'" in done.err
