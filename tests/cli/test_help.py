"""Help in narrow terminals."""

import re

import pytest

from tests.cli.conftest import Command


@pytest.mark.parametrize("command", ["compile", "inspect", "opt", "perf", "system-desc"])
def test_help_fits_and_breaks_no_word(ttstack: Command, command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    lines = ttstack(command, "--help").out.splitlines()
    assert [line for line in lines if len(line) > 60] == []
    assert [line for line in lines if re.search(r"\w-$", line)] == []


def test_lists_of_commands_have_whole_sentences(ttstack: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    for group in ((), ("system-desc",)):
        assert "..." not in ttstack(*group, "--help").out.partition("Commands:")[2]
