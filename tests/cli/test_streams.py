"""Output where the encoding has no µ, the stream is closed, or a name is not text."""

import io
import json
import os
import subprocess
import sys
import termios
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ttstack.cli.exit_codes import run

Command = Callable[..., Any]
COMMANDS = (
    ["perf", "PROGRAM"],
    ["run", "PROGRAM", "--perf"],
    ["explain", "PROGRAM", "0"],
    ["compare", "PROGRAM", "PROGRAM"],
    ["inspect", "PROGRAM"],
    ["inspect", "PROGRAM", "--section", "ops"],
    ["inspect", "PROGRAM", "--section", "memory"],
    ["inspect", "PROGRAM", "--section", "system-desc"],
    ["inspect", "PROGRAM", "--section", "ir"],
    ["compile", "MODEL", "-o", "/dev/null"],
    ["opt", "MODEL"],
    ["opt", "--list"],
    ["system-desc", "list"],
    ["system-desc", "show", "wormhole"],
    ["--help"],
)


def line(command: list[str], program: Path) -> list[str]:
    return [{"PROGRAM": str(program), "MODEL": str(program.with_suffix(".mlir"))}.get(word, word) for word in command]


def written(command: list[str], encoding: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """What a command line prints to a stream of an encoding."""
    stream = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
    monkeypatch.setattr(sys, "stdout", stream)
    assert run(command) == 0
    stream.flush()
    return stream.buffer.getvalue().decode(encoding)


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_tables_in_plain_letters(program: Path, command: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "70")
    plain = written(line(command, program), "ascii", monkeypatch)
    whole = written(line(command, program), "utf-8", monkeypatch)
    assert [len(row) for row in plain.splitlines()] == [len(row) for row in whole.splitlines()]
    same = str.maketrans("µ…→█±", "u~>#+")
    assert plain == whole.translate(same)


@pytest.mark.parametrize(
    "options", [["perf", "--json"], ["inspect", "--section", "tensors", "--format", "json"]], ids=str
)
def test_json_says_the_same_in_any_encoding(
    ttstack: Command, tmp_path: Path, program: Path, options: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    model, other = tmp_path / "model.mlir", tmp_path / "é.ttb"
    model.write_text(program.with_suffix(".mlir").read_text().replace('"x"', '"µ→é"'))
    assert ttstack("compile", model, "-o", other).code == 0
    words = [options[0], str(other), *options[1:]]
    found = [json.loads(written(words, encoding, monkeypatch)) for encoding in ("ascii", "latin-1", "utf-8")]
    assert found[0] == found[1] == found[2]
    assert "µ→é" in str(found[0])


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_a_closed_stream(program: Path, command: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", None)
    monkeypatch.setattr(sys, "stderr", None)
    code = run(line(command, program))
    for stream in (sys.stdout, sys.stderr):
        stream.close()
    assert code == 0


def test_names_that_are_no_text(program: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model, other = (tmp_path / os.fsdecode(b"\xe9" + suffix) for suffix in (b".mlir", b".ttb"))
    model.write_text(program.with_suffix(".mlir").read_text())
    stream = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    monkeypatch.setattr(sys, "stdout", stream)
    assert run(["compile", str(model), "-o", str(other)]) == 0
    assert run(["perf", str(other), "--json"]) == 0
    stream.flush()
    assert b"\xe9.ttb, " in stream.buffer.getvalue()


def test_errors_are_broken_between_words_on_terminals() -> None:
    """A real terminal, 40 characters wide."""
    leader, terminal = os.openpty()
    termios.tcsetwinsize(terminal, (24, 40))
    done = subprocess.run(
        [sys.executable, "-m", "ttstack.cli", "perf", "a.ttb", "--sort", "tim"], stderr=terminal, check=False
    )
    os.close(terminal)
    said = os.read(leader, 10_000).decode().splitlines()
    os.close(leader)
    assert done.returncode == 2
    assert max(map(len, said)) <= 40
    assert " ".join(line.strip() for line in said).startswith(
        "error[TT1001]: invalid value for '--sort': 'tim' is not one of 'order', 'time', 'op'"
    )


def test_our_warnings_are_one_line_and_others_are_as_before():
    lines = (
        "import warnings",
        "from ttstack.cli.streams import prepare_streams",
        "from ttstack.diagnostics import TTStackWarning",
        "prepare_streams()",
        "warnings.warn('rewrites do not end', TTStackWarning)",
        "warnings.warn('something else')",
    )
    done = subprocess.run([sys.executable, "-c", "\n".join(lines)], capture_output=True, text=True, check=True)
    assert done.stderr == "warning: rewrites do not end\n<string>:6: UserWarning: something else\n"
