import io
import random
import re
from pathlib import Path

import highspy
import pytest
from rich.console import Console

from tests.cli.conftest import Command
from ttstack.api import compile as compile_model
from ttstack.cli import progress
from ttstack.placement.solver import new_solver, run_solver


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> io.StringIO:
    text = io.StringIO()
    console = Console(file=text, force_terminal=True, width=100)
    monkeypatch.setattr(progress, "stderr", lambda: console)
    return text


def test_a_long_run_shows_a_bar(terminal: io.StringIO, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "PATIENCE", -1.0)
    with progress.show_ops() as show:
        assert show is not None
        show(1, 2, "matmul")
    assert "matmul" in terminal.getvalue()
    assert "1/2" in terminal.getvalue()


def test_a_short_run_shows_none(terminal: io.StringIO) -> None:
    with progress.show_ops() as show:
        assert show is not None
        show(1, 2, "matmul")
    assert not terminal.getvalue()


def test_the_phase_that_runs_is_named(terminal: io.StringIO) -> None:
    with progress.show_phases() as show:
        assert show is not None
        show("place")
    assert "compiling: place" in terminal.getvalue()


def test_the_gap_of_the_integer_program_is_shown(terminal: io.StringIO) -> None:
    draw = random.Random(0)
    with progress.show_phases() as show:
        assert show is not None
        show("place")
        solver = new_solver({})
        taken = [solver.addBinary() for _ in range(40)]
        for _ in range(5):
            solver.addConstr(sum(draw.randint(3, 40) * x for x in taken) <= 200)  # pyright: ignore[reportArgumentType]
        total = sum(draw.randint(3, 40) * x for x in taken)
        solver.setObjective(total, highspy.ObjSense.kMaximize)  # pyright: ignore[reportArgumentType]
        run_solver(solver)
    assert re.search(r"compiling: place, at most \d+\.\d % above the optimum", terminal.getvalue())


def test_a_phase_is_told_below_the_progress(
    terminal: io.StringIO, monkeypatch: pytest.MonkeyPatch, ttstack: Command, model: Path, tmp_path: Path
) -> None:
    monkeypatch.setattr("ttstack.cli.compiled.write_line", terminal.write)
    assert ttstack("compile", model, "--compile-to", "source", "-o", tmp_path / "a.mlir").code == 0
    assert terminal.getvalue().endswith("goes on")


def test_phases_are_told_as_they_begin() -> None:
    begun: list[str] = []
    text = "func.func @f(%x: tensor<32x32xf32>) -> tensor<32x32xf32> {\n  return %x : tensor<32x32xf32>\n}"
    program = compile_model(text, progress=begun.append)
    assert (begun[0], begun[-1]) == ("read", "emit")
    assert program.phases.keys() - {"import", "parse"} <= {*begun}


def test_nothing_where_nobody_looks(capsys: pytest.CaptureFixture[str]) -> None:
    with progress.show_ops() as ops, progress.show_phases() as phases:
        assert ops is None
        assert phases is None
    assert not capsys.readouterr().err


def test_tasks_that_are_done_are_counted(terminal: io.StringIO) -> None:
    with progress.show_tasks("trying", ["a", "b"]) as done:
        done()
    assert "trying b" in terminal.getvalue()
    assert "1/2" in terminal.getvalue()


def test_a_log_gets_a_line_now_and_then(monkeypatch: pytest.MonkeyPatch) -> None:
    text = io.StringIO()
    monkeypatch.setattr(progress, "stderr", lambda: Console(file=text, width=100))
    monkeypatch.setattr(progress, "QUIET_SECONDS", 0.0)
    with progress.show_tasks("trying", ["a", "b", "c"]) as done:
        done()
        done()
        done()
    assert re.fullmatch(r"trying: 1 of 3 done, 0 s left\ntrying: 2 of 3 done, 0 s left\n", text.getvalue())
    text.truncate(0)
    with progress.show_reduction() as show:
        show(12, 3)
    assert "reducing: 12 ops left, 3 tries, 0.0 s each" in text.getvalue()
