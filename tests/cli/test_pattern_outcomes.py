"""What a compilation reports of each pattern: how often it was applied, and how often it was not faster."""

from pathlib import Path

import pytest

import ttstack
from tests.cli.conftest import Command
from tests.patterns.test_patterns import HEAD, PDL, chain

IDEAS = (
    HEAD
    + """@pattern
def double_negation(op: views.Neg):
    inner = views.Neg.of(op.input)
    return inner and inner.input


@pattern(if_faster=True)
def slow_exp(op: views.Exp):
    return ttir.neg(ttir.neg(ttir.abs(ttir.abs(op.input))))


@pattern
def never(op: views.Sin):
    return ttir.cos(op.input)
"""
)
EXPECTED = [
    "pattern double_negation: applied 2 times",
    "pattern slow_exp: declined once: no candidate reduces the predicted time",
    "pattern never: did not match",
]


@pytest.mark.parametrize("isolate", ["0", "1"])
def test_each_pattern_has_a_line(tmp_path: Path, isolate: str, ttstack: Command, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("TTSTACK_ISOLATE", isolate)
    (tmp_path / "m.mlir").write_text(chain("neg", "neg", "exp", "neg", "neg"))
    (tmp_path / "ideas.py").write_text(IDEAS)
    done = ttstack(
        "compile", tmp_path / "m.mlir", "--patterns", tmp_path / "ideas.py", "--effects", "-o", tmp_path / "m.ttb"
    )
    assert [line for line in done.out.splitlines() if line.startswith("pattern ")] == EXPECTED
    rows = [line.split() for line in done.err.splitlines()]
    for row in (["double_negation", "2", "2", "0", "0"], ["slow_exp", "1", "0", "1", "0"], ["never", *"0000"]):
        assert row in rows
    assert any(row[:1] == ["apply-patterns"] and len(row) == 5 for row in rows)


def test_patterns_that_change_nothing_have_a_row_of_effects(tmp_path: Path, ttstack: Command):
    (tmp_path / "m.mlir").write_text(chain("exp"))
    (tmp_path / "p.mlir").write_text(PDL.format(name="p", attributes="", inner="neg", outer="neg"))
    done = ttstack(
        "compile", tmp_path / "m.mlir", "--patterns", tmp_path / "p.mlir", "--effects", "-o", tmp_path / "m.ttb"
    )
    assert "pattern p: did not match" in done.out
    effects = done.err.partition("rewrites")[0]
    assert "\napply-patterns  " in effects


def test_patterns_in_pdl_are_counted(tmp_path: Path):
    (tmp_path / "p.mlir").write_text(PDL.format(name="p", attributes="", inner="neg", outer="neg"))
    program = ttstack.compile(chain("neg", "neg", "exp"), patterns=tmp_path / "p.mlir")
    (run,) = [run for run in program.passes if run.patterns]
    assert run.patterns == {"p": {"applied": 1}}
    assert run.applied == 1
