"""Escaping of untrusted text for each output medium.

| medium | function |
|---|---|
| terminal, log, comment of Python | `printable`, `one_line` |
| docstring of Python | `docstring_text` |
| comment of C | `c_comment_text` |
| CSV that a spreadsheet opens | `csv_cell` |

Jinja escapes text in HTML, and `json` in JSON and in string literals of Python.
"""

import re

_CONTROLS = r"\x00-\x1f\x7f-\x9f\u2028\u2029"
_DIRECTIONS = r"\u200e\u200f\u202a-\u202e\u2066-\u2069"
"""Characters that change the direction of text, so that it displays in another order than it is stored."""
_UNSAFE = re.compile(f"[{_CONTROLS}{_DIRECTIONS}]")
_UNSAFE_IN_LINES = re.compile(f"(?![\n\t])[{_CONTROLS}{_DIRECTIONS}]")
_NO_NAME = re.compile(f"[{_CONTROLS}{_DIRECTIONS}\ud800-\udfff]")
_FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""First characters of a cell that spreadsheets treat as a formula (OWASP, CSV injection)."""


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
    """Return the text escaped for a line between two `\"\"\"`."""
    return one_line(text.replace("\\", "\\\\").replace('"', '\\"'))


def c_comment_text(text: str) -> str:
    """Return the text escaped for a line inside a comment of C."""
    return one_line(text).replace("*/", "* /").replace("/*", "/ *")


def csv_cell(text: str) -> str:
    """Return the text, with an apostrophe in front if a spreadsheet would treat it as a formula."""
    return f"'{text}" if text.startswith(_FORMULA) and len(text) > 1 else text


def _escaped(found: re.Match[str]) -> str:
    code = ord(found[0])
    return f"\\x{code:02x}" if code < 0x80 else f"\\u{code:04x}"  # the second is an escape of JSON, too
