import json
import re
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ttstack.advise import Advice, Advisor, OptionChange

Command = Callable[..., Any]


@pytest.fixture(scope="module")
def slow(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A product whose operands are all read from DRAM."""
    path = tmp_path_factory.mktemp("slow") / "slow.mlir"
    path.write_text("""
func.func @forward(%x: tensor<512x1024xbf16>, %w: tensor<1024x1024xbf16>) -> tensor<512x1024xbf16> {
  %0 = "ttir.matmul"(%x, %w) : (tensor<512x1024xbf16>, tensor<1024x1024xbf16>) -> tensor<512x1024xbf16>
  %1 = "ttir.relu"(%0) : (tensor<512x1024xbf16>) -> tensor<512x1024xbf16>
  return %1 : tensor<512x1024xbf16>
}
""")
    return path


def test_what_is_advised_gives_what_is_said(ttstack: Command, slow: Path, tmp_path: Path) -> None:
    program, again, saved = tmp_path / "slow.ttb", tmp_path / "again.ttb", tmp_path / "best.yaml"
    assert ttstack("compile", slow, "-o", program).code == 0
    found = json.loads(ttstack("advise", program, slow, "--ops", 1, "--save-overrides", saved, "--json").out)
    before = json.loads(ttstack("perf", program, "--json").out)["total_ns"]
    assert [change["changes_values"] for change in found] == sorted(change["changes_values"] for change in found)
    measured = [change["values"]["pcc"] for change in found if change["values"]]
    assert measured == pytest.approx(sorted(measured, reverse=True), abs=1e-6)
    assert len(measured) >= 5
    by_option = {change["option"]: change for change in found if change["option"]}
    assert {"--dtype bfp8_b", "--weights-dtype bfp8_b", "--placement optimal"} <= by_option.keys()
    of_op = max((change for change in found if change["overrides"]), key=lambda change: change["gain_ns"])
    for change, arguments in ((by_option["--dtype bfp8_b"], ["--dtype", "bfp8_b"]), (of_op, ["--overrides", saved])):
        ttstack("compile", slow, *arguments, "-o", again)
        total = json.loads(ttstack("perf", again, "--json").out)["total_ns"]
        assert change["total_ns"] == pytest.approx(total)
        assert change["gain_ns"] == pytest.approx(before - total)
        assert change["changes_values"]


def test_what_was_tried_is_printed_when_it_is_interrupted(
    ttstack: Command, slow: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ttstack("compile", slow, "-o", tmp_path / "slow.ttb")
    tried = Advisor._try

    def interrupt(advisor: Advisor, change: OptionChange) -> Advice:
        if len(advisor.tried) == 2:
            signal.raise_signal(signal.SIGTERM)
        return tried(advisor, change)

    monkeypatch.setattr(Advisor, "_try", interrupt)
    before = signal.getsignal(signal.SIGTERM)
    result = ttstack("advise", tmp_path / "slow.ttb", slow, "--ops", 0)
    assert result.code == 128 + signal.SIGTERM
    assert "--dtype bfp8_b" in result.out
    assert re.search(r"Interrupted: 2 of \d+ changes were tried", result.out)
    assert signal.getsignal(signal.SIGTERM) is before


def test_runs_can_be_left_out(ttstack: Command, slow: Path, tmp_path: Path) -> None:
    ttstack("compile", slow, "-o", tmp_path / "slow.ttb")
    result = ttstack("advise", tmp_path / "slow.ttb", slow, "--ops", 0, "--measure-seconds", 0)
    assert "unmeasured" in result.out
    assert "Values as it is" not in result.out


def test_another_model_is_refused(ttstack: Command, program: Path, tmp_path: Path) -> None:
    (tmp_path / "none.mlir").write_text("func.func @other() {\n  return\n}\n")
    result = ttstack("advise", program, tmp_path / "none.mlir", "--function", "forward")
    assert (result.code, result.out) == (1, "")
