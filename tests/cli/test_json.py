"""What `--json` prints is what the documentation says: every field, of its type, and no other."""

import shlex
from collections.abc import Callable
from pathlib import Path
from types import GenericAlias
from typing import Any

import pytest
from pydantic import ConfigDict, TypeAdapter, ValidationError

from ttstack.cli.printed import EXTENDED, PRINTED
from ttstack.library.setup import TTNN
from ttstack.library.verdict import Judgement, LibraryVerdict

Command = Callable[..., Any]

LINES = {
    "compile": [
        "compile small.mlir --check-values --explain-rewrites fuse",
        "compile small.mlir --effects",
        "compile small.mlir --placement optimal --precision performance",
    ],
    "compile --compile-to PHASE": ["compile small.mlir --compile-to placed"],
    "compile --target cpu": ["compile small.mlir --target cpu"],
    "inspect": ["inspect small.ttb"],
    "inspect --section system-desc": ["inspect small.ttb --section system-desc"],
    "inspect --section ops": ["inspect small.ttb --section ops"],
    "inspect --section tensors": ["inspect small.ttb --section tensors"],
    "inspect --section memory": ["inspect small.ttb --section memory"],
    "inspect --section training": ["inspect small.ttb --section training"],
    "inspect --section weights": ["inspect small.ttb --section weights"],
    "inspect --section ir": ["inspect small.ttb --section ir"],
    "explain": ["explain small.ttb 0", "explain small.ttb 0 --resolve"],
    "run": [
        "run small.mlir",
        "run small.ttb",
        "run small.ttb --cost-only --group-by op",
        "run small.ttb --golden small.mlir --per-op",
    ],
    "perf": ["perf small.ttb", "perf small.ttb --samples 64 --group-by class"],
    "perf --what-if": ["perf small.ttb --what-if clock=1.2GHz"],
    "perf --calibrate": ["perf small.ttb --calibrate small.csv"],
    "advise": ["advise small.ttb small.mlir --ops 1"],
    "compare": ["compare small.ttb small.ttb"],
    "compare PROFILE": ["compare small.ttb small.csv"],
    "compare --ttnn": ["compare small.ttb --ttnn 0.54,0.81"],
    "explore": ["explore small.ttb --no-browser"],
    "explore --graphs": ["explore small.ttb --graphs graphs"],
    "emit": ["emit small.ttb -o small.py"],
    "check": ["check small.ttb"],
    "opt": [
        "opt small.mlir -p fuse --check-values --explain-rewrites all",
        "opt small.mlir -p canonicalize",
        "opt small.mlir -p canonicalize -o out.mlir",
    ],
    "filecheck": ["filecheck test.mlir"],
    "passes": ["passes"],
    "passes NAME": ["passes fuse"],
    "ops": ["ops"],
    "ops NAME": ["ops layer_norm"],
    "opt --list": ["opt --list"],
    "bisect": ["bisect small.mlir", "bisect small.mlir --against small.ttb"],
    "reduce": ["reduce small.mlir --keeps 'python keeps.py {}'"],
    "examples": ["examples"],
    "env": ["env"],
    "examples NAME": ["examples dlrm"],
    "system-desc list": ["system-desc list"],
    "system-desc show": ["system-desc show n150"],
    "system-desc check": ["system-desc check n150"],
}


def check(words: str, text: str) -> None:
    """Raises where the text has another field than the documentation, or lacks one, or one of another type."""
    several: Any = GenericAlias(list, (PRINTED[words],))
    TypeAdapter(several, config=ConfigDict(extra="forbid")).validate_json(f"[{text}]", strict=True)


@pytest.fixture
def folder(program: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ttstack: Command) -> Path:
    """Where a program, its model and a profile lie; nothing is served, and the library takes all."""
    (tmp_path / "small.ttb").write_bytes(program.read_bytes())
    (tmp_path / "small.mlir").write_text(program.with_suffix(".mlir").read_text())
    assert ttstack("perf", program, "--csv", tmp_path / "small.csv").code == 0
    (tmp_path / "test.mlir").write_text(f"// RUN: ttstack opt %s\n{program.with_suffix('.mlir').read_text()}")
    (tmp_path / "keeps.py").write_text("import sys; sys.exit('softmax' in open(sys.argv[1]).read())")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "model_explorer/web_app").mkdir(parents=True)
    (tmp_path / "model_explorer/web_app/index.html").touch()
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr("ttstack.explore.server.ExploreServer.serve_forever", lambda _: None)
    verdict = LibraryVerdict(0, "softmax", "small.mlir:5", "", "", (), "SoftmaxDeviceOperation", 1024, 2048)
    monkeypatch.setattr("ttstack.library.run.check", lambda *_, **_keywords: Judgement("n150", TTNN, (verdict,), ""))
    return tmp_path


def test_every_kind_of_output_is_tried() -> None:
    assert LINES.keys() == PRINTED.keys()


@pytest.mark.parametrize(("words", "line"), [(words, line) for words, lines in LINES.items() for line in lines])
@pytest.mark.usefixtures("folder")
def test_what_is_printed_is_what_is_documented(ttstack: Command, words: str, line: str) -> None:
    result = ttstack(*shlex.split(line), "--json")
    assert result.code == 0, result.err
    check(words, result.out)


@pytest.mark.usefixtures("folder")
def test_fields_that_are_missing_unknown_or_of_another_type_are_found(ttstack: Command) -> None:
    text: str = ttstack("perf", "small.ttb", "--json").out
    for other in (
        text.replace('"total_ns"', '"total_us"', 1),
        text.replace('"gap_ns"', '"extra": 1, "gap_ns"', 1),
        text.replace('"index": 0', '"index": "0"', 1),
        text.replace('"banks"', '"bank"', 1),
    ):
        assert other != text
        with pytest.raises(ValidationError):
            check("perf", other)


def test_what_extends_another_is_named() -> None:
    """The documentation takes descriptions of fields from there."""
    kinds = {name: kind for printed in PRINTED.values() for name, kind in _kinds(printed).items()}
    for name, base in EXTENDED.items():
        fields = _kinds(base)[base.__name__]["properties"]
        assert fields.items() < kinds[name]["properties"].items()


def _kinds(printed: Any) -> dict[str, Any]:
    several: Any = GenericAlias(list, (printed,))
    return TypeAdapter(several).json_schema().get("$defs", {})
