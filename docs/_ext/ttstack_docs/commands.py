"""The command line, as it says itself what it takes."""

from collections.abc import Iterator
from typing import Any

from typer.main import get_command
from typer.testing import CliRunner

from ttstack.cli import INTERRUPTED, exit_codes
from ttstack.cli.app import app
from ttstack.options.choices import CHOICES
from ttstack_docs.markdown import code, literal, table

WIDTH = 100


def command_pages() -> str:
    """A section for each command: what `--help` prints."""
    parts: list[str] = []
    for path in command_paths(get_command(app)):
        depth = "##" if len(path) < 2 else "###"
        parts += [f"{depth} {' '.join(('ttstack', *path))}", code(help_text(path))]
    return "\n\n".join(parts)


def command_paths(command: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """The words after `ttstack` of every command and group."""
    if path:
        yield path
    for name, inner in getattr(command, "commands", {}).items():
        yield from command_paths(inner, (*path, name))


def help_text(path: tuple[str, ...]) -> str:
    """What `ttstack PATH --help` prints."""
    result = CliRunner().invoke(app, [*path, "--help"], prog_name="ttstack", terminal_width=WIDTH)
    if result.exit_code:
        raise RuntimeError(f"ttstack {' '.join(path)} --help: {result.output}")
    return result.output


def choice_table() -> str:
    """What a compilation can be told, in Python and on the command line."""
    rows = [(literal(name), literal(choice.default), choice.help) for name, choice in CHOICES.items()]
    return table(("option", "default", "what it is"), rows)


def exit_code_table() -> str:
    """The codes with which commands end."""
    rows = (
        (0, "good"),
        (exit_codes.INPUT_FAULT, "the input is at fault; the error says how"),
        (exit_codes.WRONG_USAGE, "wrong usage: an unknown option, a missing argument"),
        (exit_codes.INTERNAL_ERROR, "a fault of ttstack's own"),
        (INTERRUPTED, "interrupted"),
        (exit_codes.BROKEN_PIPE, "nobody reads the output any more"),
    )
    return table(("code", "meaning"), [(str(number), meaning) for number, meaning in rows])
