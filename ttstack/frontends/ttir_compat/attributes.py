"""Conversion of attributes printed by tt-mlir to attributes that a dialect defined from Python can parse.

A parameter of such a dialect's attribute is itself an attribute or a type: ``#tt.grid<[8, 8]>``,
``#tt.argument_type<"input">``. tt-mlir's attributes have bare words, sizes, brackets and maps there (``#tt.grid<8x8>``,
``#tt.system_desc<[<#tt.arch<...``). This distinguishes the two, in this order:

1. ``#ttcore.`` is always tt-mlir's, and becomes ``#tt.``;
2. an attribute that describes the device (`_TARGET`) is ours if its parameters are attributes, and a system
   description of ours is a dictionary: ``#tt.system_desc<{...}>``. tt-mlir's are removed, as the compiler gets the
   target separately: as an alias, as an entry of a dictionary, as a ``ttcore.device`` op;
3. any other attribute whose parameters are attributes is unchanged;
4. sizes become lists, ``<8x8>`` to ``<[8, 8]>``, and everything else a string, ``<parameter>`` to ``<"parameter">``,
   or a plain string if the dialects do not have the attribute, or, for layouts, have one with other parameters.
"""

import re
from collections.abc import Collection

from ttstack.dialects.text.edits import Edits, one_line
from ttstack.dialects.text.tokens import Tokens

_HEAD = re.compile(r"#(tt|ttcore|ttir|ttnn)(?:\.([\w$]+))?$")
_TARGET = {"operand_constraint", "system_desc", "chip_desc", "cpu_desc", "chip_channel", "device"}
_LAYOUTS = {"tt.layout"}
_SIZES = re.compile(r"\d+(?:x\d+)+$")
_NUMBER = re.compile(r"-?(?:\d+(?:\.\d*(?:[eE][-+]?\d*)?)?|0x[0-9a-fA-F]+)$")
# Not "none": no attribute of ours has that type as a parameter, and kinds of tt-mlir's are called so.
_BUILTIN = re.compile(r"(?:[su]?i\d+|u?f\d+\w*|bf16|tf32|index|true|false|unit)$")


class Attributes:
    """Rewrites the attributes of one text; `known`, if given, names those that the dialects define."""

    def __init__(self, tokens: Tokens, edits: Edits, known: Collection[str] | None) -> None:
        self._tokens, self._edits, self._known = tokens, edits, known
        self._removed: set[str] = set()

    def respell(self, index: int) -> int:
        """Rewrite the attribute at the word `index`, if there is one; return the next index."""
        word = self._tokens[index]
        if word in self._removed and self._in_entry(index):
            self._edits.drop_item(index - 2, index)
            return index + 1
        head = _HEAD.match(word)
        return self._attribute(index, head[1], head[2]) if head else index + 1

    def _attribute(self, index: int, dialect: str, name: str | None) -> int:
        tokens, last = self._tokens, self._tokens.value_end(index)
        if last is None or last == index:
            return self._rename(index, dialect, name) if name and tokens[index + 1] != "<" else index + 1
        first = index + 2
        if name is None:
            name, first = tokens[first], first + 1
        generic = first == index + 2 and generic_parameters(tokens, first, last - 1)
        if name in _TARGET and not _own_target(tokens, name, first, dialect, generic):
            return self._remove(index, last)
        ours = "tt" if dialect == "ttcore" else dialect
        if generic and (dialect != "ttcore" or self._defined(f"{ours}.{name}")):
            return self._rename(index, dialect, name)
        new = self._new_spelling(
            f"{ours}.{name}", one_line(tokens.text[tokens.start(first) : tokens.start(last)]).strip()
        )
        self._edits.replace(index, last, new)
        return last + 1

    def _new_spelling(self, name: str, parameters: str) -> str:
        quoted = '"' + parameters.replace("\\", "\\\\").replace('"', '\\"') + '"'
        if name in _LAYOUTS or not self._defined(name):
            return quoted
        if _SIZES.match(parameters):
            return f"#{name}<[{parameters.replace('x', ', ')}]>"
        return f"#{name}<{quoted}>" if parameters else f"#{name}"

    def _defined(self, name: str) -> bool:
        return self._known is None or name in self._known

    def _rename(self, index: int, dialect: str, name: str) -> int:
        if dialect == "ttcore":
            self._edits.replace(index, index, f"#tt.{name}")
        return index + 1

    def _in_entry(self, index: int) -> bool:
        return self._tokens[index - 1] == "=" and self._tokens[index - 3] in ("{", ",")

    def _remove(self, first: int, last: int) -> int:
        """Remove an alias or a dictionary entry; other uses are removed with their op."""
        tokens = self._tokens
        if self._in_entry(first):
            self._edits.drop_item(first - 2, last)
        elif tokens[first - 1] == "=" and tokens[first - 2].startswith("#"):
            self._removed.add(tokens[first - 2])
            self._edits.blank(first - 2, last)
        return last + 1


def generic_parameters(tokens: Tokens, first: int, last: int) -> bool:
    """Return True if a run of tokens has the form of MLIR's dynamic attribute parameters."""
    brackets, index = ["<"], first
    while index <= last:
        token, before = tokens[index], tokens[index - 1]
        if token in ("(", "<", "|", "->"):
            return False
        if token in ("[", "{"):
            brackets.append(token)
        elif token in ("]", "}"):
            brackets.pop()
        elif tokens.kind(index) == "word" and not _is_generic_word(tokens, index, brackets[-1], before):
            return False
        # The inside of a constructor, tensor<4x4xf32> or #tt.grid<...>, is judged on its own.
        index = (tokens.value_end(index) or index) + 1
    return True


def _is_generic_word(tokens: Tokens, index: int, bracket: str, before: str) -> bool:
    word = tokens[index]
    if bracket == "{" and before in ("{", ","):
        return True
    return word[0] in "#!@" or tokens[index + 1] == "<" or bool(_NUMBER.match(word)) or bool(_BUILTIN.match(word))


def _own_target(tokens: Tokens, name: str, first: int, dialect: str, generic: bool) -> bool:
    return generic and dialect != "ttcore" and (name != "system_desc" or tokens[first] == "{")
