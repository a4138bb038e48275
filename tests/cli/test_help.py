"""Help in narrow terminals."""

import re
import shlex
from collections.abc import Iterator
from typing import Any

import pytest
from typer.main import get_command

from tests.cli.conftest import Command
from ttstack.cli.app import app
from ttstack.cli.command_examples import EXAMPLES
from ttstack.cli.compile_options import option_name
from ttstack.options.choices import CHOICES


def command_paths(command: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """The words after `ttstack` of every command and group."""
    if path:
        yield path
    for name, inner in getattr(command, "commands", {}).items():
        yield from command_paths(inner, (*path, name))


@pytest.mark.parametrize("command", ["compile", "inspect", "opt", "perf", "system-desc"])
def test_help_fits_and_breaks_no_word(ttstack: Command, command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    lines = ttstack(command, "--help").out.partition("Examples:")[0].splitlines()
    assert [line for line in lines if len(line) > 60] == []
    assert [line for line in lines if re.search(r"\w-$", line)] == []


def test_lists_of_commands_have_whole_sentences(ttstack: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    for group in ((), ("system-desc",)):
        _, *lines = ttstack(*group, "--help").out.splitlines()
        assert not [line for line in lines if line.endswith("...")]


LINES = 80
"""Two screens of 40 lines."""


@pytest.mark.parametrize("command", ["", *(" ".join(path) for path in command_paths(get_command(app)))])
def test_help_is_two_screens_at_most(ttstack: Command, command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    lines = ttstack(*command.split(), "--help").out.splitlines()
    assert len(lines) <= LINES
    assert [line for line in lines if len(line) > 80] == []


def test_options_and_commands_have_groups(ttstack: Command) -> None:
    headings = re.findall(r"^(\w.*):$", ttstack("compile", "--help").out, re.MULTILINE)
    kinds = ["Input and output", "Device", "Placement", "Formats", "Passes", "General"]
    assert [name for name in headings if not name.startswith("Debugging")] == ["Arguments", *kinds, "Examples"]
    assert "Debugging, described by `ttstack compile --help-debugging`" in headings
    assert "Write the IR after every pass that changed it." in ttstack("compile", "--help-debugging").out
    assert "Predict and explain:" in ttstack("--help").out
    assert "Options:" in ttstack("emit", "--help").out


def test_explore_refers_to_the_options_of_compile(ttstack: Command) -> None:
    text = ttstack("explore", "--help").out
    assert "as in `ttstack compile --help`" in text
    listed = " ".join(text.partition("as in `ttstack compile --help`:")[2].partition("General")[0].split())
    assert listed.split(", ") == [option_name(name) for name in CHOICES]


@pytest.mark.parametrize(("command", "line"), [(name, line) for name in EXAMPLES for line in EXAMPLES[name]])
def test_examples_use_options_that_exist(command: str, line: str) -> None:
    _, *words = shlex.split(line, comments=True)
    found: Any = get_command(app)
    known = {option for param in found.params for option in param.opts}
    while words:
        word = words.pop(0)
        if word in getattr(found, "commands", {}):
            found = found.commands[word]
            known = {option for param in found.params for option in (*param.opts, *param.secondary_opts)}
        else:
            assert not word.startswith("-") or word in known, f"{command}: {word}"


def test_every_command_has_examples() -> None:
    assert {f"ttstack {path[0]}" for path in command_paths(get_command(app))} | {"ttstack"} == set(EXAMPLES)
