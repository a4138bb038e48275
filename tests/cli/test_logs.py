"""Log channels: silent by default, on standard error if a user asks for lines."""

import logging
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import ttstack
from tests.cli.conftest import Command
from ttstack.diagnostics import TTStackWarning
from ttstack.support import logs

MODEL = """func.func @forward(%x: tensor<64x64xf32> {ttir.name = "x"},
    %w: tensor<64x64xf32> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "w"})
    -> tensor<64x64xf32> {
  %0 = "ttir.matmul"(%x, %w) : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %1 = "ttir.relu"(%0) : (tensor<64x64xf32>) -> tensor<64x64xf32>
  return %1 : tensor<64x64xf32>
}
"""


@pytest.fixture
def model(tmp_path: Path) -> Path:
    path = tmp_path / "model.mlir"
    path.write_text(MODEL)
    return path


@pytest.fixture
def quiet(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.delenv("TTSTACK_LOG", raising=False)
    yield
    monkeypatch.delenv("TTSTACK_LOG", raising=False)
    logs.stop_logs()


def _channels(text: str) -> set[str]:
    return {line.partition(":")[0] for line in text.splitlines() if line.partition(":")[0] in logs.CHANNELS}


def test_nothing_is_logged_by_default(ttstack: Command, model: Path) -> None:
    assert ttstack("compile", model, "-o", model.with_suffix(".ttb")).err == ""
    assert logging.getLogger("ttstack").level == logging.NOTSET


@pytest.mark.parametrize("words", [("-v", "compile"), ("compile", "-v"), ("compile", "--verbose")])
def test_verbose_goes_before_and_after_the_command(ttstack: Command, model: Path, words: tuple[str, ...]) -> None:
    result = ttstack(*words, model, "-o", model.with_suffix(".ttb"))
    assert _channels(result.err) == {"read", "passes", "placement"}
    assert "read: " in result.err
    assert "passes: fuse" in result.err
    assert " rewrites" in result.err
    assert "placement: forward: 1 ops" in result.err
    assert ttstack("compile", model, "-o", model.with_suffix(".ttb")).err == ""


def test_two_are_more_than_one(ttstack: Command, model: Path) -> None:
    once = ttstack("compile", "-v", model, "-o", model.with_suffix(".ttb")).err
    for words in (("-v", "compile", "-v"), ("compile", "-vv")):
        twice = ttstack(*words, model, "-o", model.with_suffix(".ttb")).err
        assert "grid " in twice
        assert len(twice.splitlines()) > len(once.splitlines())


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("placement", {"placement"}),
        ("placement=debug, passes", {"placement", "passes"}),
        ("all", {"read", "passes", "placement"}),
    ],
)
def test_the_environment_names_channels(
    text: str, expected: set[str], model: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TTSTACK_LOG", text)
    logs.stop_logs()
    ttstack.compile(str(model))
    assert _channels(capsys.readouterr().err) == expected
    monkeypatch.delenv("TTSTACK_LOG")
    logs.stop_logs()
    ttstack.compile(str(model))
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("text", ["placment", "passes=loud"])
def test_a_wrong_channel_is_a_warning(text: str, quiet: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TTSTACK_LOG", text)
    with pytest.warns(TTStackWarning, match="not a log channel"):
        logs.write_logs_of_environment()


def test_handlers_of_a_program_get_records(model: Path, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG, "ttstack.passes"):
        ttstack.compile(str(model))
    assert {record.name for record in caplog.records} == {"ttstack.passes"}


def test_folded_parameters_are_logged(caplog: pytest.LogCaptureFixture) -> None:
    folded = (
        MODEL.replace('"ttir.relu"(%0)', '"ttir.add"(%0, %2)')
        .replace("  %0 =", '  %2 = "ttir.exp"(%w) : (tensor<64x64xf32>) -> tensor<64x64xf32>\n  %0 =')
        .replace(
            '"ttir.add"(%0, %2) : (tensor<64x64xf32>)', '"ttir.add"(%0, %2) : (tensor<64x64xf32>, tensor<64x64xf32>)'
        )
    )
    with caplog.at_level(logging.DEBUG, "ttstack.folding"):
        ttstack.compile(folded)
    assert "forward: 1 new parameters" in caplog.text
    assert " from w" in caplog.text


def test_importing_configures_nothing() -> None:
    code = "import logging, ttstack.api, ttstack.support.logs; root = logging.getLogger('ttstack'); "
    code += "print(logging.getLogger().handlers, root.level, [type(h).__name__ for h in root.handlers])"
    environment = {name: value for name, value in os.environ.items() if name != "TTSTACK_LOG"}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment)
    assert done.stdout.strip() == "[] 0 ['NullHandler']"


PATTERNS = """from ttstack.dialects.ttir import views
from ttstack.dialects.ttir.builders import ttir
from ttstack.patterns import pattern


@pattern
def relu_to_abs(op: views.Relu):
    return ttir.abs(op.input)


@pattern
def never(op: views.Exp):
    return None
"""


@pytest.mark.parametrize("isolate", ["0", "1"])
def test_patterns_that_apply_are_logged(
    ttstack: Command, model: Path, isolate: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TTSTACK_ISOLATE", isolate)
    (file := model.with_name("patterns.py")).write_text(PATTERNS)
    err = ttstack("compile", "-v", model, "--patterns", file, "-o", model.with_suffix(".ttb")).err
    assert "patterns: relu_to_abs: applied once" in err
    assert "patterns: never: did not match" in err
