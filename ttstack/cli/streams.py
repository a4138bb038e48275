"""Preparation of standard output and error: open, and able to print any text."""

import codecs
import os
import sys
import warnings
from io import TextIOWrapper
from textwrap import wrap
from typing import Any

from ttstack.diagnostics import TTStackWarning
from ttstack.escape import printable

_PLAIN = {"µ": "u", "…": "~", "→": ">", "█": "#", "±": "+", "─": "-", "━": "-"}
"""ASCII replacements of table characters, one for one, for encodings without them."""

_WIDTH = 80
"""Width of a terminal with unknown width."""

_FORMAT_WARNING = warnings.formatwarning


def prepare_streams() -> None:
    """Replace closed streams, replace characters that the encoding does not have, and format warnings."""
    warnings.formatwarning = _format_warning
    codecs.register_error("plain", _plain)
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115, PTH123  (for the whole process)
        stream = getattr(sys, name)
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="plain")


def say(text: str) -> None:
    """Write a text to standard error, wrapped on a terminal."""
    text = printable(text)
    if sys.stderr.isatty():
        width = os.get_terminal_size(sys.stderr.fileno()).columns or _WIDTH
        text = "\n".join(part for line in text.splitlines() for part in _broken(line, width))
    sys.stderr.write(f"{text}\n")


def _format_warning(message: Warning | str, kind: type[Warning], *place: Any, **line: Any) -> str:
    ours = issubclass(kind, TTStackWarning)
    return f"warning: {printable(str(message))}\n" if ours else _FORMAT_WARNING(message, kind, *place, **line)


def _broken(line: str, width: int) -> list[str]:
    return wrap(line, width, subsequent_indent=" " * 4, break_long_words=False, break_on_hyphens=False) or [""]


def _plain(error: UnicodeError) -> tuple[str | bytes, int]:
    """Return replacements: bytes of file names unchanged, table characters in ASCII, others as question marks."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    letters = error.object[error.start : error.end]
    if all("\udc80" <= letter <= "\udcff" for letter in letters):
        return letters.encode("ascii", "surrogateescape"), error.end
    return "".join(_PLAIN.get(letter, "?") for letter in letters), error.end
