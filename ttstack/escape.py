"""Texts of untrusted files, made safe for the medium that they are written to.

| medium | function |
|---|---|
| terminal, log, comment of Python | `printable`, `one_line` |
| docstring of Python | `docstring_text` |
| comment of C | `c_comment_text` |
| CSV that a spreadsheet opens | `csv_cell` |

Jinja escapes what goes to HTML, and `json` what goes to JSON and to string literals of Python.
"""

import re

_CONTROLS = r"\x00-\x1f\x7f-\x9f\u2028\u2029"
_DIRECTIONS = r"\u200e\u200f\u202a-\u202e\u2066-\u2069"
"""Characters that change the direction of text, so that a line reads in another order than it is stored."""
_UNSAFE = re.compile(f"[{_CONTROLS}{_DIRECTIONS}]")
_UNSAFE_IN_LINES = re.compile(f"(?![\n\t])[{_CONTROLS}{_DIRECTIONS}]")
_NO_NAME = re.compile(f"[{_CONTROLS}{_DIRECTIONS}\ud800-\udfff]")
_FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""First characters of a cell that spreadsheets compute instead of show (OWASP, CSV injection)."""


def name_fault(name: str) -> str:
    """Return why a text cannot be a name, or an empty text if it can."""
    found = _NO_NAME.search(name)
    return f"the name '{one_line(name)}' has the control character U+{ord(found[0]):04X}" if found else ""


def one_line(text: str) -> str:
    r"""Return the text with escapes (`\x1b`, `\x0a`) for its control characters and line ends."""
    return _UNSAFE.sub(_escaped, text)


def printable(text: str) -> str:
    """Return the text with escapes for its control characters; it keeps its lines and tabs."""
    return _UNSAFE_IN_LINES.sub(_escaped, text)


def docstring_text(text: str) -> str:
    '''Return the text as it can stand on a line between two `"""`.'''
    return one_line(text.replace("\\", "\\\\").replace('"', '\\"'))


def c_comment_text(text: str) -> str:
    """Return the text as it can stand on a line inside a comment of C, which it neither ends nor begins."""
    return one_line(text).replace("*/", "* /").replace("/*", "/ *")


def csv_cell(text: str) -> str:
    """Return the text with an apostrophe before it if a spreadsheet would compute it."""
    return f"'{text}" if text.startswith(_FORMULA) and len(text) > 1 else text


def _escaped(found: re.Match[str]) -> str:
    code = ord(found[0])
    return f"\\x{code:02x}" if code < 0x80 else f"\\u{code:04x}"  # the second is an escape of JSON, too
