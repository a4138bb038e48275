"""Checks of MLIR text before parsing, which crashes on deep nesting and on strings that are not UTF-8."""

import re
from typing import Final

from ttstack.diagnostics import InvalidIRError

MAX_NESTING: Final = 200
"""Maximum nesting of brackets, with aliases: compilers write a few dozen, and the parser crashes at thousands."""

_STRING = r'"[^"\\\n]*+(?:\\.[^"\\\n]*+)*+"?'
_TOKEN = re.compile(
    rf"(?P<skip>//[^\n]*+|->|>=|[<=]=)|(?P<string>{_STRING})"
    r"|(?P<opening>[(\[{<])|(?P<closing>[)\]}>])|(?P<definition>^[#!][\w$.-]+(?=\s*=))|(?P<alias>[#!][\w$.-]+)",
    re.MULTILINE,
)
_ARRAY = re.compile(r"\barray<[su]i\d+:")
_NOT_ASCII = re.compile(r"\\[89A-Fa-f][0-9A-Fa-f]")
_ESCAPE = re.compile(rb"\\([0-9A-Fa-f]{2})")


def check_nesting(text: str, name: str) -> None:
    """Raise `InvalidIRError` at the first line of a module's text that is nested too deeply."""
    depth = 0
    inside: dict[str, int] = {}
    defined, ended = "", 0
    for token in _TOKEN.finditer(text):
        if defined and ended and depth == 0 and "\n" in text[ended : token.start()]:
            defined = ""
        match token.lastgroup:
            case "opening":
                depth += 1
                reached = depth
            case "closing":
                depth = max(0, depth - 1)
                ended = token.end()
                continue
            case "definition":
                defined, ended, depth = token[0], 0, 0
                continue
            case "alias":
                ended = token.end()
                if token[0] not in inside:
                    continue
                reached = depth + inside[token[0]]
            case _:
                continue
        if reached > MAX_NESTING:
            raise InvalidIRError(
                f"the module is nested more than {MAX_NESTING} brackets deep",
                loc=f"{name}:{text.count(chr(10), 0, token.start()) + 1}",
                hint="reduce the nesting there: the parser is recursive",
            )
        if defined:
            inside[defined] = max(inside.get(defined, 0), reached)


def check_strings(text: str, name: str) -> None:
    """Raise `InvalidIRError` if a printed module has attributes that the bindings cannot read.

    These are strings that are not UTF-8, and arrays of signed or unsigned integers.
    """
    if found := _ARRAY.search(text):
        raise InvalidIRError(f"'{name}' has an attribute {found[0]}...>, which cannot be read", hint="write it as i64")
    if not _NOT_ASCII.search(text):
        return
    for token in _TOKEN.finditer(text):
        if token.lastgroup == "string" and _NOT_ASCII.search(token[0]):
            try:
                _ESCAPE.sub(lambda e: bytes([int(e[1], 16)]), token[0].encode()).decode()
            except UnicodeDecodeError as e:
                raise InvalidIRError(
                    f"'{name}' names something {token[0][:60]}, which is not UTF-8",
                    hint="export the model again with names in UTF-8",
                ) from e
