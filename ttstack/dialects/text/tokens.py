"""A lexer for MLIR text, in linear time, with the features that rewriting needs.

Strings and ``dense<...>`` literals are single tokens, comments and resource blocks are skipped. Round, square and curly
brackets must balance: tokens end where they do not, and MLIR reports the rest of the text. Angle brackets may be
unbalanced.
"""

import re

_STRING = r'"[^"\\\n]*+(?:\\.[^"\\\n]*+)*+"?'
_TOKEN = re.compile(
    rf"(?P<skip>//[^\n]*+|\{{-#(?:[^\"#]++|{_STRING}|#(?!-\}}))*+(?:#-\}})?)"
    rf"|(?P<string>{_STRING})"
    rf"|(?P<literal>(?:dense|sparse|dense_resource)<[^\">]*+(?:{_STRING}[^\">]*+)*+>?)"
    r"|(?P<word>[#!%@^]?(?:[\w$.]|-(?!>))++)"
    r"|(?P<punctuation>->|[<>=]=|[(){}\[\]<>,=:|])"
)
_OPENING = {")": "(", "]": "[", "}": "{", ">": "<"}
_BRACKETS = frozenset({*_OPENING, *_OPENING.values()})
_LONGEST_NAME = 256


class Tokens:
    """The tokens of `text` by index, and the closing partner of every opening bracket.

    An index past either end is the empty token, so that no bounds checks are needed. `tokens[index]` is only the
    beginning of a long token; `slice` returns all of it.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.partner: dict[int, int] = {}
        self._spans: list[tuple[int, int]] = []
        self._heads: list[str] = []
        self._kinds: list[str | None] = []
        self._open: list[int] = []
        spans, heads, kinds = self._spans, self._heads, self._kinds
        for match in _TOKEN.finditer(text):
            if (kind := match.lastgroup) == "skip":
                continue
            start, end = span = match.span()
            head = text[start : min(end, start + _LONGEST_NAME)]
            if kind == "punctuation" and head in _BRACKETS and not self._pair(len(spans), head):
                break
            spans.append(span)
            heads.append(head)
            kinds.append(kind)

    def __len__(self) -> int:
        return len(self._spans)

    def __getitem__(self, index: int) -> str:
        return self._heads[index] if 0 <= index < len(self._heads) else ""

    def kind(self, index: int) -> str | None:
        """Return ``"string"``, ``"literal"``, ``"word"`` (name or number with sigil) or ``"punctuation"``."""
        return self._kinds[index] if 0 <= index < len(self._kinds) else None

    def start(self, index: int) -> int:
        """Return the offset of a token's first character."""
        return self._spans[index][0]

    def end(self, index: int) -> int:
        """Return the offset after a token's last character."""
        return self._spans[index][1]

    def slice(self, first: int, last: int) -> str:
        """Return the text from one token to another, inclusive."""
        return self.text[self.start(first) : self.end(last)]

    def closing_index(self, index: int, bracket: str) -> int | None:
        """Return the partner of the token if it is that opening bracket, otherwise None."""
        return self.partner.get(index) if self[index] == bracket else None

    def items(self, opening: int) -> list[tuple[int, int]]:
        """Return the comma-separated items inside a bracket, each as its first and last token."""
        return self.items_between(opening + 1, self.partner[opening] - 1)

    def items_between(self, first: int, last: int) -> list[tuple[int, int]]:
        """Return the comma-separated items of a run of tokens, without empty ones."""
        found, index = [], first
        while index <= last + 1:
            if index == last + 1 or self[index] == ",":
                if first < index:
                    found.append((first, index - 1))
                first = index + 1
            index = self.partner.get(index, index) + 1
        return found

    def value_end(self, index: int) -> int | None:
        """Return the last token of a type or attribute such as ``tensor<4xf32>`` that starts here, or None."""
        if self.kind(index) != "word":
            return None
        return self.partner.get(index + 1, index) if self[index + 1] == "<" else index

    def _pair(self, index: int, bracket: str) -> bool:
        """Record the bracket; return False if it closes another kind than the open one."""
        if bracket not in _OPENING:
            self._open.append(index)
            return True
        while bracket != ">" and self._open and self[self._open[-1]] == "<":
            self._open.pop()
        if self._open and self[self._open[-1]] == _OPENING[bracket]:
            self.partner[self._open.pop()] = index
            return True
        return bracket == ">"
