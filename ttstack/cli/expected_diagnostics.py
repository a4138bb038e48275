"""Expected diagnostics in comments of a module, as mlir-opt's `--verify-diagnostics` has them."""

import re
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass

from ttstack.diagnostics import TTStackError

_COMMENT = re.compile(
    r"expected-(?P<kind>error|warning|note|remark)(?P<regex>-re)?\s*(?:@(?P<where>[+-]\d+|above|below|unknown))?\s*"
    r"\{\{(?P<text>.*)\}\}\s*$"
)
_PLACE = re.compile(r":(\d+)(?::\d+)?\)?$")
_NOTE_WITH_PLACE = re.compile(r"^\S.*?:(?P<line>\d+)(?::\d+)?: (?P<text>.*)$", re.DOTALL)
_PATTERN = re.compile(r"\{\{(.*?)\}\}")


@dataclass(frozen=True)
class Reported:
    """A diagnostic that was reported."""

    kind: str
    line: int | None
    """Line of the file; None if it is unknown."""
    text: str


@dataclass(frozen=True)
class Expected:
    """A diagnostic that a comment expects."""

    kind: str
    line: int | None
    """Line of the file; None with `@unknown`."""
    text: str
    regex: bool
    written: int
    """Line of the comment."""

    def matches(self, found: Reported) -> bool:
        """Return True for a diagnostic of the same kind and line that contains the text."""
        if (self.kind, self.line) != (found.kind, found.line):
            return False
        return bool(re.search(self._pattern, found.text)) if self.regex else self.text in found.text

    @property
    def _pattern(self) -> str:
        """The text with what is between inner braces as regular expressions."""
        parts = _PATTERN.split(self.text)
        return "".join(part if i % 2 else re.escape(part) for i, part in enumerate(parts))


def expected_diagnostics(text: str) -> list[Expected]:
    """Return the diagnostics that the comments of a text expect."""
    comments = {number: m for number, line in enumerate(text.splitlines(), 1) if (m := _COMMENT.search(line))}
    return [
        Expected(m["kind"], _line(number, m["where"] or "+0", comments.keys()), m["text"], bool(m["regex"]), number)
        for number, m in comments.items()
    ]


def _line(number: int, where: str, comments: Container[int]) -> int | None:
    """Return the line that a comment means; `above` and `below` skip lines with other such comments."""
    if where == "unknown":
        return None
    if where not in ("above", "below"):
        return number + int(where)
    step = -1 if where == "above" else 1
    line = number + step
    while line in comments:
        line += step
    return line


def reported_diagnostics(error: TTStackError) -> Iterator[Reported]:
    """Yield an error and its notes; notes with a place of their own are further errors."""
    found = error.diagnostic
    place = _PLACE.search(found.loc or "")
    line = int(place[1]) if place else None
    yield Reported("error", line, found.message)
    for note in (*found.notes, *([found.hint] if found.hint else [])):
        own = _NOTE_WITH_PLACE.match(note)
        yield Reported("error", int(own["line"]), own["text"]) if own else Reported("note", line, note)


def diagnostic_mismatches(expected: Sequence[Expected], reported: Sequence[Reported]) -> list[str]:
    """Return what is reported and not expected, then what is expected and not reported, each with its line.

    Notes need not be expected. Each comment matches one diagnostic.
    """
    open_ = [*expected]
    wrong: list[str] = []
    for found in reported:
        match = next((e for e in open_ if e.matches(found)), None)
        if match is not None:
            open_.remove(match)
        elif found.kind != "note":
            wrong.append(f"line {found.line or 'unknown'}: unexpected {found.kind}: {found.text}")
    return [*wrong, *(f"line {e.written}: expected {e.kind} was not reported: {e.text}" for e in open_)]
