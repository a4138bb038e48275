"""An op in MLIR's generic form, as positions of its parts in the text."""

import re
from dataclasses import dataclass

from ttstack.dialects.text.tokens import Tokens

SEGMENTS = "operandSegmentSizes"
RESULT_SEGMENTS = "resultSegmentSizes"
_INTEGER = re.compile(r"-?\d+$")


@dataclass(frozen=True)
class OperationText:
    """``"name"(operands) <{properties}> ({regions}) {attributes} : (types) -> results``, as token indices.

    A bracketed part is the index of its opening bracket; for properties, of the brace.
    """

    tokens: Tokens
    name: str
    operands: int
    properties: int | None
    regions: int | None
    attributes: int | None
    colon: int
    results: tuple[int, int]

    @property
    def last(self) -> int:
        """The last token of the op."""
        return self.results[1]

    def operand_items(self) -> list[tuple[int, int]]:
        """Return the operands, as first and last token."""
        return self.tokens.items(self.operands)

    def type_items(self) -> list[tuple[int, int]]:
        """Return the types of the operands, as first and last token."""
        return self.tokens.items(self.colon + 1)

    def result_types(self) -> list[str]:
        """Return the types of the results, as text."""
        first, last = self.results
        if self.tokens.closing_index(first, "(") == last:
            first, last = first + 1, last - 1
        return [self.tokens.slice(*item) for item in self.tokens.items_between(first, last)]

    def entries(self, dictionary: int | None) -> dict[str, tuple[int, int]]:
        """Return the entries of the properties or of the attributes by name."""
        items = [] if dictionary is None else self.tokens.items(dictionary)
        return {self.tokens[first].strip('"'): (first, last) for first, last in items}


def match_operation(tokens: Tokens, index: int) -> OperationText | None:
    """Return the op whose quoted name is the token `index`; None for other strings, or incomplete ops."""
    if tokens.kind(index) != "string" or (at := tokens.closing_index(index + 1, "(")) is None:
        return None
    at = tokens.partner.get(at + 1, at) if tokens[at + 1] == "[" else at
    properties = at + 2 if tokens[at + 2] == "{" and tokens.closing_index(at + 1, "<") else None
    at = tokens.partner[at + 1] if properties else at
    regions = at + 1 if tokens[at + 2] == "{" and tokens.closing_index(at + 1, "(") else None
    at = tokens.partner[at + 1] if regions else at
    attributes = at + 1 if tokens.closing_index(at + 1, "{") else None
    colon = (tokens.partner[at + 1] if attributes else at) + 1
    types_end = tokens.closing_index(colon + 1, "(") if tokens[colon] == ":" else None
    if types_end is None or tokens[types_end + 1] != "->":
        return None
    first = types_end + 2
    last = tokens.closing_index(first, "(") or tokens.value_end(first)
    if last is None or (properties and properties not in tokens.partner):
        return None
    name = tokens[index].strip('"')
    return OperationText(tokens, name, index + 1, properties, regions, attributes, colon, (first, last))


def segment_sizes(tokens: Tokens, entry: tuple[int, int] | None) -> tuple[int, ...] | None:
    """Return the sizes in an entry ``operandSegmentSizes = array<i32: 2, 1>``, or None."""
    if entry is None or tokens[entry[0] + 2] != "array":
        return None
    numbers = [tokens[first] for first, _ in tokens.items_between(entry[0] + 6, entry[1] - 1)]
    return tuple(int(number) for number in numbers) if all(map(_INTEGER.match, numbers)) else None
