"""What people who are new to a command get wrong, and what they are told: what, where, what to do instead."""

import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.cli.conftest import MODEL

Command = Callable[..., Any]


@pytest.fixture
def folder(program: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where `small.ttb`, `small.mlir` and some files that are neither lie; commands run there."""
    (tmp_path / "small.ttb").write_bytes(program.read_bytes())
    (tmp_path / "small.mlir").write_text(program.with_suffix(".mlir").read_text())
    (tmp_path / "broken.yaml").write_text("ops: [\n")
    (tmp_path / "values.csv").write_text("x,y\n1,2\n")
    (tmp_path / "values.npz").touch()
    (tmp_path / "model.py").write_text("def small():\n    return 3\n")
    (tmp_path / "words.yaml").write_text("ops: softmax\n")
    (tmp_path / "cut.ttb").write_bytes(program.read_bytes()[:5000])
    (tmp_path / "two.mlir").write_text(f"{MODEL}{MODEL.replace('@forward', '@backward')}")
    np.savez(tmp_path / "words.npz", x=np.full((64, 128), "a"), y=np.zeros((3, 128), np.float32))
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("line", "said", "instead"),
    [
        ("perf smal.ttb", "smal.ttb", "did you mean 'small.ttb'?"),
        ("inspect .", "cannot be read: Is a directory", "give a file that `ttstack compile` wrote"),
        ("compile smal.mlir", "'smal.mlir' does not exist", "did you mean 'small.mlir'?"),
        ("compile small.mlir --overrides broken.yml", "'broken.yml'", "did you mean 'broken.yaml'?"),
        ("compile small.mlir --overrides broken.yaml", "line 2: while parsing a flow node", "write 'ops:'"),
        (
            "compile small.mlir --without fuze-bias",
            "not a pass 'fuze-bias'; did you mean 'fuse-bias'?",
            "ttstack opt --list",
        ),
        ("compile small.mlir --approximate tanh", "approximate.0: Input should be 'gelu'", "the notes"),
        ("compile small.mlir --tensor-train rel_err=0.1", "did you mean 'rel_error'?", "a table takes"),
        ("compile small.mlir --html page.html", "no option '--html'", "it is an option of run, perf, compare"),
        ("compile small.mlir -o -", "'-' would be the name of a file", "/dev/stdout"),
        ("advise small.ttb small.mlir --save-overrides small.mlir", "'small.mlir' is what is read", "another name"),
        ("explore small.mlir --graphs g --save-overrides small.mlir", "'small.mlir' is what is read", "another name"),
        ("compare small.ttb small.ttb --html small.ttb", "'small.ttb' is what is read", "another name"),
        ("compare small.ttb small.mlir", "'small.mlir' is neither a program nor a device", "a .ttb file"),
        ("explain small.ttb softmaks", "no op is 'softmaks'", "did you mean 'softmax'?"),
        ("explain small.ttb 7", "there is no op 7", "lists numbers"),
        ("run small.ttb --inputs value.npz", "there is no input file", "did you mean 'values.npz'?"),
        ("perf small.ttb --calibrate value.csv", "cannot read value.csv: No such file", "did you mean 'values.csv'?"),
        ("perf small.ttb --calibrate small.ttb", "cannot read small.ttb: it is not text", "python -m tracy"),
        ("reduce smal.mlir --keeps 'false {}'", "cannot read 'smal.mlir': No such file", "did you mean 'small.mlir'?"),
        ("reduce small.ttb --keeps 'false {}'", "'small.ttb' is not text", "ttstack opt"),
        ("emit small.ttb -o small.mlir", "'small.mlir' is not a name of a Python file", "end it with .py"),
        ("emit small.ttb -o .", "'.' is a folder", "the name of a file"),
        ("examples dlrm -o small.txt", "'small.txt' is not a name of a model as text", "end it with .mlir"),
        ("examples dlrm -o small.ttb", "'small.ttb' would be the name of a program", "another ending"),
        ("opt small.mlir -o small.ttb", "'small.ttb' would be the name of a program", "another ending"),
        ("perf small.ttb --html new.ttb", "'new.ttb' would be the name of a program", "another ending"),
        ("compile small.mlir --compile-to placed -o small.ttb", "would be the name of a program", "another ending"),
        ("compile small.mlir --decisions new.ttb", "'new.ttb' would be the name of a program", "another ending"),
        ("reduce . --keeps 'false {}'", "cannot read '.': Is a directory", "ttstack opt"),
        ("advise small.mlir small.ttb", "'small.ttb' is a program", "the program first, then its model"),
        ("advise small.ttb small.ttb", "'small.ttb' is a program", "the program first, then its model"),
        ("inspect small.ttb --section ops --overrides o.yaml", "--overrides writes a file", "--help"),
        ("emit small.ttb -o small.ttb", "'small.ttb' is what is read", "another name"),
        ("check", "give a program, or --setup with a folder", "ttstack check --help"),
        ("opt small.ttb", "it looks like a compiled program", "models are read from"),
        (
            "compile small.ttb",
            "'small.ttb' is not a model that can be read; it looks like a compiled program",
            "read from",
        ),
        ("compile model.py", "'model.py' is Python", "model:FACTORY"),
        ("compile small.mlir -o small.o", "'small.o' is not a name of a program", "--target cpu"),
        ("compile small.mlir -o net.onnx", "'net.onnx' is not a name of a program", "end it with .ttb"),
        ("compile small.mlir --pipeline fuze", "no pass or pipeline 'fuze'", "did you mean 'fuse'?"),
        ("compile small.mlir --system-desc n151", "'n151' is neither a file nor a preset", "did you mean 'n150'?"),
        ("compile small.mlir --system-desc broken.yml", "'broken.yml' is neither", "did you mean 'broken.yaml'?"),
        ("compile small.mlir --overrides words.yaml", "words.yaml:1: ops: no list of values", "write 'ops:'"),
        ("compile small.mlir --overrides small.ttb", "cannot read 'small.ttb': it is not text", "YAML or JSON"),
        ("compile small.mlir --verify-patterns", "--verify-patterns goes with --patterns", "--help"),
        ("compile small.mlir -o", "ttstack compile\n", "ttstack compile --help"),
        ("compile small.mlir --function f", "no function 'f'; the module has forward", "--function NAME"),
        ("compile two.mlir --function foward", "no function 'foward'", "did you mean 'forward'?"),
        ("compile --compile-from smal.mlir", "cannot read 'smal.mlir': No such file", "did you mean 'small.mlir'?"),
        ("compile --compile-from small.ttb", "it looks like a compiled program", "models are read from"),
        ("compile small.mlir --target cpu --placement optimal", "for devices alone: --placement", "--target device"),
        ("explore small.ttb --graphs g --save-overrides o", "--save-overrides writes edits", "--help"),
        ("explore small.ttb --graphs g --input x=1", "'small.ttb' is compiled already", "give the model"),
        ("emit small.ttb -o a.py --function f", "no function 'f'; the program has forward", "--function NAME"),
        ("inspect cut.ttb", "this file is incomplete", "copy it again"),
        ("run small.ttb --inputs words.npz", "'x' holds other values (<U1), not real numbers", "it takes x"),
        ("run small.ttb --inputs words.npz", "'y' has shape [3, 128], not [64, 128]", "it takes x"),
        ("perf small.ttb --visualizer v --html v", "'v' would be written twice", "a name of its own"),
        ("perf small.ttb --what-if clock=1.2", "is 1.2 Hz, where the device has 1 GHz", "l1_size=2MiB"),
        ("run small.ttb --top 3", "--sort, --top and --all are of the table of ops", "--help"),
        ("opt small.mlir -p canonicalise", "no pass or pipeline 'canonicalise'", "did you mean 'canonicalize'?"),
        ("perf small.ttb --top ten", "invalid value for '--top': 'ten' should be a valid integer\n", "--help"),
        ("perf small.ttb --top 0", "'--top': '0' should be greater than or equal to 1", "--help"),
        ("perf small.ttb --function foward", "no function 'foward'", "did you mean 'forward'?"),
        ("examples -o small.mlir", "-o needs the NAME of an example", "--help"),
        ("examples list", "there is no example 'list'", "give one of these"),
        ("completion", "there is no command 'completion'", "did you mean '--install-completion'?"),
        ("opt small.mlir -p canonicalize -o small.mlir", "'small.mlir' is what is read", "another name"),
        ("opt small.mlir --verify-patterns", "--verify-patterns goes with --patterns", "--help"),
        ("opt small.mlir --patterns values.csv", "'values.csv' is not a file of patterns", "its name ends in .py"),
    ],
)
def test_mistakes(ttstack: Command, folder: Path, line: str, said: str, instead: str) -> None:
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    result = ttstack(*shlex.split(line))
    assert (result.code in (1, 2), result.out) == (True, "")
    assert result.err.startswith("error[TT")
    assert said in result.err
    assert instead in result.err.partition("  = help: ")[2]
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


@pytest.mark.usefixtures("folder")
def test_an_open_quotation_is_no_fault_of_ours(ttstack: Command) -> None:
    result = ttstack("reduce", "small.mlir", "--keeps", "false '{}")
    assert result.code == 1
    assert "--keeps is not a command line: no closing quotation" in result.err


def test_an_environment_is_made_in_no_folder_of_others(
    ttstack: Command, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ttstack.library.setup.shutil.which", lambda name: f"/usr/bin/{name}")
    monkeypatch.setattr("ttstack.library.setup._base_python", lambda: pytest.fail("it is made"))
    for place in (folder, folder / "small.ttb"):
        before = sorted(folder.iterdir())
        result = ttstack("check", "--setup", place)
        assert (result.code, result.out) == (1, "")
        assert f"'{place}' is there already, and no environment" in result.err
        assert sorted(folder.iterdir()) == before


def test_advice_for_another_model_says_so(ttstack: Command, folder: Path) -> None:
    (folder / "other.mlir").write_text((folder / "small.mlir").read_text().replace("64x128", "32x32"))
    result = ttstack("advise", "small.ttb", "other.mlir", "--ops", "0")
    assert result.code == 0
    assert result.err.startswith("note: 'other.mlir' is not what 'small.ttb' was compiled from, or has changed")
    assert result.err.count("\n") == 1, "a line of a file is as long as it is"
    assert "note" not in ttstack("advise", "small.ttb", "small.mlir", "--ops", "0").err
