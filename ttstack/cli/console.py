"""Where commands write: results to stdout, everything else to stderr."""

import os
import sys
from typing import TYPE_CHECKING, Any

from ttstack.escape import printable

if TYPE_CHECKING:
    from rich.console import Console

WIDTH = 140
"""Characters of tables that go to a file or a pipe."""


def stdout() -> "Console":
    """For tables."""
    from rich.console import Console

    fixed = None if sys.stdout.isatty() or "COLUMNS" in os.environ else WIDTH
    return _escaping(Console(width=fixed, highlight=False, markup=False, emoji=False))


def stderr() -> "Console":
    """For progress and notes."""
    from rich.console import Console

    return _escaping(Console(stderr=True, highlight=False, markup=False, emoji=False))


def _escaping(console: "Console") -> "Console":
    from ttstack.cli.escaped import EscapeRendered

    console.push_render_hook(EscapeRendered())
    return console


def write(text: str) -> None:
    """Write a text to stdout with escapes for its control characters, and a line end where it has none."""
    text = printable(text)
    sys.stdout.write(text if text.endswith("\n") else f"{text}\n")


def write_sentence(text: str) -> None:
    """Write a text to stdout, broken between words where the terminal ends."""
    stdout().print(text)


def write_line(text: str) -> None:
    """Write one line to stdout, which a terminal gets broken between words."""
    if sys.stdout.isatty():
        write_sentence(text)
    else:
        write(text)


def note(text: str) -> None:
    """Say something beside the result on stderr, which a terminal gets broken between words."""
    stderr().print(f"note: {text}", soft_wrap=not sys.stderr.isatty())


def write_json(value: Any) -> None:
    """Write a value to stdout as JSON, which spells what the encoding lacks."""
    import json

    text = json.dumps(value, indent=2, ensure_ascii=False)
    try:
        text.encode(sys.stdout.encoding or "ascii")
    except UnicodeEncodeError:
        text = json.dumps(value, indent=2)
    write(text)
