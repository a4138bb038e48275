"""Output streams of commands: results go to stdout, everything else to stderr."""

import os
import sys
from typing import TYPE_CHECKING, Any

from ttstack.escape import printable

if TYPE_CHECKING:
    from rich.console import Console

WIDTH = 140
"""Width of tables that go to a file or a pipe."""


def stdout() -> "Console":
    """Return a console for tables."""
    from rich.console import Console

    fixed = None if sys.stdout.isatty() or "COLUMNS" in os.environ else WIDTH
    return _escaping(Console(width=fixed, highlight=False, markup=False, emoji=False))


def stderr() -> "Console":
    """Return a console for progress and notes."""
    from rich.console import Console

    return _escaping(Console(stderr=True, highlight=False, markup=False, emoji=False))


def _escaping(console: "Console") -> "Console":
    from ttstack.cli.escaped import EscapeRendered

    console.push_render_hook(EscapeRendered())
    return console


def write(text: str) -> None:
    """Write a text to stdout with escaped control characters and a final line end."""
    text = printable(text)
    sys.stdout.write(text if text.endswith("\n") else f"{text}\n")


def write_sentence(text: str) -> None:
    """Write a text to stdout, wrapped at the terminal's width."""
    stdout().print(text)


def write_line(text: str) -> None:
    """Write one line to stdout, wrapped on a terminal."""
    if sys.stdout.isatty():
        write_sentence(text)
    else:
        write(text)


def note(text: str) -> None:
    """Write a note to stderr, wrapped on a terminal."""
    stderr().print(f"note: {text}", soft_wrap=not sys.stderr.isatty())


def write_json(value: Any) -> None:
    """Write a value to stdout as JSON, with escapes for characters that the encoding does not have."""
    import json

    text = json.dumps(value, indent=2, ensure_ascii=False)
    try:
        text.encode(sys.stdout.encoding or "ascii")
    except UnicodeEncodeError:
        text = json.dumps(value, indent=2)
    write(text)
