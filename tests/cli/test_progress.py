import io

import pytest
from rich.console import Console

from ttstack.cli import progress


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


def test_phases(terminal: io.StringIO) -> None:
    with progress.show_phases() as show:
        assert show is not None
        show("parse", 0.5)
    assert "compiling" in terminal.getvalue()


def test_nothing_where_nobody_looks(capsys: pytest.CaptureFixture[str]) -> None:
    with progress.show_ops() as ops, progress.show_phases() as phases:
        assert ops is None
        assert phases is None
    assert not capsys.readouterr().err
