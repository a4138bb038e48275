"""Edits of a text that keep every line in place."""

import re

from ttstack.dialects.text.tokens import Tokens

_VISIBLE = re.compile(r"[^\n]")
_COMMENT = re.compile(r'("[^"\\\n]*+(?:\\.[^"\\\n]*+)*+"?)|//[^\n]*+')


class Edits:
    """Replacements in one text, collected in any order and applied at once."""

    def __init__(self, tokens: Tokens) -> None:
        self._tokens = tokens
        self._changes: list[tuple[int, int, str]] = []
        self._gone: set[int] = set()

    def replace(self, first: int, last: int, new: str) -> None:
        """Replace a run of tokens by `new`, followed by the line breaks of the run."""
        breaks = "\n" * self._tokens.slice(first, last).count("\n")
        self._changes.append((self._tokens.start(first), self._tokens.end(last), new + breaks))

    def insert_before(self, index: int, new: str) -> None:
        """Insert `new` before a token."""
        self._changes.append((self._tokens.start(index), self._tokens.start(index), new))

    def insert_after(self, index: int, new: str) -> None:
        """Insert `new` after a token."""
        self._changes.append((self._tokens.end(index), self._tokens.end(index), new))

    def blank(self, first: int, last: int) -> None:
        """Turn a run of tokens into spaces, so that later tokens keep their column."""
        if first <= last:
            start, end = self._tokens.start(first), self._tokens.end(last)
            self._changes.append((start, end, _VISIBLE.sub(" ", self._tokens.text[start:end])))

    def drop_item(self, first: int, last: int) -> None:
        """Blank one item of a comma-separated list and a comma; for several items, call it for the first one first."""
        if self._tokens[first - 1] == "," and first - 1 not in self._gone:
            self._gone.add(first - 1)
            first -= 1
        elif self._tokens[last + 1] == ",":
            last += 1
            self._gone.add(last)
        self.blank(first, last)

    def cut(self, first: int, last: int) -> None:
        """Remove a run of tokens and the space before it."""
        start = self._tokens.start(first)
        while self._tokens.text[start - 1] == " ":
            start -= 1
        self._changes.append((start, self._tokens.end(last), ""))

    def cut_item(self, first: int, last: int) -> None:
        """Remove one item of several of a comma-separated list, with its comma."""
        if self._tokens[first - 1] == ",":
            self.cut(first - 1, last)
        else:
            self._changes.append((self._tokens.start(first), self._tokens.start(last + 2), ""))

    def apply(self) -> str:
        """Return the edited text."""
        pieces, at = [], 0
        for start, end, new in sorted(self._changes, key=lambda change: change[:2]):
            pieces += [self._tokens.text[at:start], new]
            at = end
        return "".join([*pieces, self._tokens.text[at:]])


def one_line(text: str) -> str:
    """Return the text without comments and line breaks, with strings unchanged."""
    return _COMMENT.sub(lambda match: match.group(1) or "", text).replace("\n", " ")
