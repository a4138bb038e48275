"""`ttstack opt` on files of several parts, with expected diagnostics, and with ops of unknown dialects."""

import io
from pathlib import Path

import pytest

from tests.cli.conftest import Command
from ttstack.cli.expected_diagnostics import Reported, diagnostic_mismatches, expected_diagnostics
from ttstack.cli.split_input import split_input

T = "tensor<4x4xf32>"
GOOD = f"""func.func @good(%x: {T}) -> {T} {{
  %0 = "ttir.exp"(%x) : ({T}) -> {T}
  return %0 : {T}
}}
"""
BAD = f"""func.func @bad(%x: {T}) -> {T} {{
  %0 = "ttir.softmax"(%x) <{{dimension = 5 : si32}}> : ({T}) -> {T}
  return %0 : {T}
}}
"""
FOREIGN = f"""func.func @foreign(%x: {T}) -> {T} {{
  %0 = "foo.exp"(%x) : ({T}) -> {T}
  return %0 : {T}
}}
"""
SOFTMAX = "  %0 = "
EXPECT = "  // expected-error @+1 {{dimension 5 is out of range}}\n"


def write(folder: Path, *parts: str) -> Path:
    (file := folder / "m.mlir").write_text("// -----\n".join(parts))
    return file


def test_parts_keep_their_lines() -> None:
    first, second = split_input("a\n// -----  next\nb\n")
    assert first == "a\n"
    assert second.splitlines()[2] == "b"


def test_each_part_is_processed_and_all_errors_are_reported(ttstack: Command, tmp_path: Path) -> None:
    file = write(tmp_path, BAD, GOOD, FOREIGN, GOOD.replace("@good", "@last"))
    done = ttstack("opt", file, "--split-input-file", "-p", "canonicalize")
    assert done.code == 1
    assert [line for line in done.err.splitlines() if "-->" in line] == [
        f"  --> {file}:{line}" for line in ("2:8", "12:17")
    ]
    assert done.out.count("// -----\n") == 1
    assert done.out.index("@good") < done.out.index("// -----") < done.out.index("@last")


def test_stdin_is_split_too(ttstack: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(f"{GOOD}// -----\n{BAD}"))
    done = ttstack("opt", "-", "--split-input-file")
    assert done.code == 1
    assert "  --> <stdin>:7:8" in done.err
    assert "@good" in done.out


def test_expected_errors_are_no_errors(ttstack: Command, tmp_path: Path) -> None:
    file = write(tmp_path, BAD.replace(SOFTMAX, EXPECT + SOFTMAX), GOOD)
    done = ttstack("opt", file, "--split-input-file", "--verify-diagnostics")
    assert (done.code, done.err) == (0, "")
    assert "@good" in done.out


def test_all_differences_from_what_is_expected_are_listed(ttstack: Command, tmp_path: Path) -> None:
    file = write(tmp_path, BAD, GOOD.replace("  %0", "  // expected-error {{nothing}}\n  %0"))
    done = ttstack("opt", file, "--split-input-file", "--verify-diagnostics")
    assert done.code == 1
    notes = [line.strip() for line in done.err.splitlines() if "note" in line]
    assert notes[0].startswith("= note: line 2: unexpected error: ")
    assert notes[1] == "= note: line 7: expected error was not reported: nothing"


COMMENTS = """// expected-error @+1 {{one}}
x
y // expected-error {{two}}
// expected-note-re @above {{th{{r+}}ee}}
// expected-note @below {{four}}
// expected-remark @below {{five}}
z
// expected-warning @unknown {{six}}
"""


def test_comments_name_lines_as_in_mlir_opt() -> None:
    found = [(e.kind, e.line, e.text) for e in expected_diagnostics(COMMENTS)]
    assert found == [
        ("error", 2, "one"),
        ("error", 3, "two"),
        ("note", 2, "th{{r+}}ee"),
        ("note", 7, "four"),
        ("remark", 7, "five"),
        ("warning", None, "six"),
    ]


def test_one_comment_matches_one_diagnostic() -> None:
    expected = expected_diagnostics("x // expected-error-re {{a{{[0-9]}}.}}\n")
    one, other = Reported("error", 1, "say a1. twice"), Reported("error", 1, "a12")
    assert diagnostic_mismatches(expected, [one]) == []
    assert diagnostic_mismatches(expected, [one, one]) == ["line 1: unexpected error: say a1. twice"]
    assert diagnostic_mismatches(expected, [other])[1:] == [
        "line 1: expected error was not reported: a{{[0-9]}}.",
    ]
    assert diagnostic_mismatches([], [Reported("note", 1, "an explanation")]) == []


def test_ops_of_unknown_dialects_are_kept(ttstack: Command, tmp_path: Path) -> None:
    file = write(tmp_path, FOREIGN)
    assert "the dialect 'foo' is not known" in ttstack("opt", file).err
    done = ttstack("opt", file, "--allow-unregistered-dialect", "-p", "cse")
    assert done.code == 0
    assert '"foo.exp"' in done.out


def test_parts_have_no_dumps(ttstack: Command, tmp_path: Path) -> None:
    done = ttstack("opt", write(tmp_path, GOOD), "--split-input-file", "--dump-ir", tmp_path / "ir")
    assert done.code == 2
    assert "leave out --split-input-file" in done.err
