"""Help in narrow terminals."""

import re

import pytest

from tests.cli.conftest import Command


@pytest.mark.parametrize("command", ["compile", "inspect", "opt"])
def test_help_fits_and_breaks_no_word(ttstack: Command, command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    lines = ttstack(command, "--help").out.splitlines()
    assert [line for line in lines if len(line) > 60] == []
    assert [line for line in lines if re.search(r"\w-$", line)] == []
