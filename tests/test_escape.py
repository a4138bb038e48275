"""Names of untrusted models reach no medium as anything but names."""

import ast
import csv
import io
import json
import os
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

import ttstack
from ttstack.cli import console
from ttstack.cli.exit_codes import run
from ttstack.compiled_program import Program
from ttstack.diagnostics import BinaryFormatError, InputError, InvalidIRError, SystemDescError
from ttstack.escape import c_comment_text, csv_cell, docstring_text, name_fault, one_line, printable
from ttstack.flatbuffer import safetensors, save
from ttstack.program.records import Binary
from ttstack.report.csv import csv_text
from ttstack.system_desc import from_dict, load
from ttstack.system_desc.serialize import to_dict
from ttstack.targets import cpu
from ttstack.ttnn_python import emit_python

ATTACKS = (
    '"""\nraise SystemExit("executed")\n"""',
    '"]\nraise SystemExit("executed")  #',
    "a\rraise SystemExit('executed')",
    "\\",
    '\\"""',
    "\x1b]0;title\x07\x1b[2Jerror[TT0000]: forged",
    "=1+1",
    "*/ int x; /*",
    "a\u2028b\u202ec",
)
"""Names, each of which ends a docstring, a literal, a comment, a line or a cell, or drives a terminal."""

TEXT = """func.func @f(%x: tensor<32x32xbf16>) -> (tensor<32x32xbf16> {ttir.name = "NAME"}) {
  %0 = "ttir.exp"(%x) : (tensor<32x32xbf16>) -> tensor<32x32xbf16> loc("LOCATION")
  return %0 : tensor<32x32xbf16>
}"""


@pytest.fixture(scope="module")
def program() -> Program:
    return ttstack.compile(TEXT)


def renamed(binary: Binary, name: str) -> Binary:
    """The program with one name wherever an untrusted file can have any."""
    (function,) = binary.functions
    tensors = tuple(replace(t, name=f"{name}{t.id}") for t in function.tensors)
    operations = tuple(replace(o, location=name) for o in function.operations)
    outputs = tuple(replace(o, name=name) for o in function.outputs)
    renamed = replace(function, name=name, tensors=tensors, operations=operations, outputs=outputs)
    system = binary.system_desc.model_copy(update={"name": name})
    return replace(binary, functions=(renamed,), system_desc=system)


@pytest.mark.parametrize("attack", ATTACKS)
def test_emitted_python_has_names_in_literals_and_comments_alone(program: Program, attack: str):
    text = emit_python(named := renamed(program.binary, attack), named.functions[0], attack)
    plain = ast.parse(emit_python(program.binary, program.binary.functions[0], "model"))
    tree = ast.parse(text)
    assert [type(node) for node in ast.walk(tree)] == [type(node) for node in ast.walk(plain)]
    written = {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)}
    assert {attack, f"{attack}0"} <= written


@pytest.mark.parametrize("attack", [attack for attack in ATTACKS if name_fault(attack)])
def test_programs_with_control_characters_in_names_are_refused(program: Program, attack: str, tmp_path: Path):
    plain, (function,) = program.binary, program.binary.functions
    (output,) = function.outputs
    named = [
        replace(function, name=attack),
        replace(function, outputs=(replace(output, name=attack),)),
        replace(function, operations=tuple(replace(o, location=attack) for o in function.operations)),
        replace(function, tensors=tuple(replace(t, name=f"{attack}{t.id}") for t in function.tensors)),
    ]
    for number, changed in enumerate(named):
        save(replace(plain, functions=(changed,)), tmp_path / f"{number}.ttb")
        with pytest.raises(BinaryFormatError, match="has the control character U") as caught:
            ttstack.load(tmp_path / f"{number}.ttb")
        assert printable(str(caught.value)) == str(caught.value)


def test_sources_and_devices_with_control_characters_in_names_are_refused():
    with pytest.raises(InvalidIRError, match=r"x\\x1bm.*U\+001B"):
        ttstack.compile(TEXT.replace("NAME", "x\\1Bm"))
    with pytest.raises(SystemDescError, match=r"name: the name 'a\\x0ab' has the control character U\+000A"):
        from_dict(to_dict(load("wormhole")) | {"name": "a\nb"}, origin="mine")


def test_a_location_of_mlir_is_written_with_its_escapes():
    program = ttstack.compile(TEXT.replace("LOCATION", "a\\1B\\0Ab"))
    assert program.cost().ops[-1].location.startswith("a\\1B\\0Ab")


@pytest.mark.parametrize("attack", ATTACKS)
def test_c_headers_have_names_in_comments_alone(attack: str, tmp_path: Path):
    escaped = "".join(c if c.isalnum() else f"\\{ord(c):02X}" if ord(c) < 128 else "" for c in attack)
    cpu.compile(TEXT.replace("NAME", escaped), name="m").save(tmp_path / "m.o")
    (tmp_path / "main.c").write_text('#include "m.h"\nint x;\nint main(void) { return 0; }\n')
    built = subprocess.run(["cc", "-Werror", "-fsyntax-only", "main.c"], cwd=tmp_path, check=False, capture_output=True)
    assert built.returncode == 0, built.stderr


@pytest.mark.parametrize("attack", ATTACKS)
def test_no_text_drives_a_terminal(attack: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("FORCE_COLOR", "1")
    error = str(InputError(attack, loc=attack, notes=(attack,), hint=attack))
    console.write(attack)
    console.note(attack)
    console.stdout().print(attack, style="")
    console.write_json({"name": attack})
    shown = capsys.readouterr()
    for text in (error, shown.out, shown.err):
        assert "\x1b" not in text
        assert "\x07" not in text
        assert "\u2028" not in text
    assert [line for line in error.splitlines() if line.startswith("error")] == error.splitlines()[:1]
    assert json.loads(shown.out[shown.out.rindex("\n{") :]) == {"name": attack}


def test_colours_of_a_console_stay(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm-256color")
    console.stdout().print("a\x1bb", style="bold")
    assert capsys.readouterr().out == "\x1b[1ma\\x1bb\x1b[0m\n"


@pytest.mark.parametrize("attack", ATTACKS)
def test_a_spreadsheet_computes_no_cell(program: Program, attack: str):
    report = replace(program, binary=renamed(program.binary, attack)).cost()
    rows = list(csv.reader(io.StringIO(csv_text(report))))
    assert not [cell for row in rows for cell in row if cell[:1] in ("=", "+", "@")]
    assert csv_cell("=1+1") == "'=1+1"
    assert csv_cell("-") == "-"


@pytest.mark.parametrize("escape", [one_line, docstring_text, c_comment_text])
def test_plain_names_stay_as_they_are(escape: Callable[[str], str]):
    assert escape("résumé (block 3/conv.weight): 你好") == "résumé (block 3/conv.weight): 你好"


def test_a_pipe_beside_a_program_is_refused_at_once(tmp_path: Path):
    os.mkfifo(tmp_path / "weights.safetensors")
    with pytest.raises(BinaryFormatError, match="not a regular file"):
        safetensors.map_file(tmp_path / "weights.safetensors")


def test_the_module_of_a_needed_plug_in_is_quoted(program: Program, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    (function,) = program.binary.functions
    unknown = replace(function, operations=(replace(function.operations[0], name="strange"), *function.operations[1:]))
    options = json.dumps({"plug_ins": {"strange": "a; touch here"}})
    save(replace(program.binary, functions=(unknown,), options=options), tmp_path / "m.ttb")
    assert run(["perf", str(tmp_path / "m.ttb")]) == 1
    assert "ttstack --load 'a; touch here'" in capsys.readouterr().err
