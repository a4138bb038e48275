"""A StableHLO or `chlo` op during conversion: operands as TTIR values, attributes as Python values."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ttstack.dialects.elements import read_elements
from ttstack.dialects.types import read_type
from ttstack.frontends import conversion
from ttstack.frontends.stablehlo_to_ttir.options import Options, read_option
from ttstack.mlir import ir
from ttstack.ops.attributes import Spelling
from ttstack.ops.types import TensorType
from ttstack.support.suggestion import closest

CUSTOM_CALL = "stablehlo.custom_call"
_WORD = re.compile(r"(\w+)>$")
_NOTHING = "a call of that name has no options"


def call_name(target: str) -> str:
    """Return the name of a call or composite in tables and errors."""
    return target if target.startswith("chlo.") else f"@{target}"


def _closest(name: str, known: Sequence[str]) -> str:
    close = closest(name, known)
    return f" (meant '{close}'?)" if close else ""


@dataclass(frozen=True)
class StablehloOp(conversion.SourceOp):
    """A StableHLO op, or a call of a `chlo` op or another function by name."""

    @staticmethod
    def name_of(op: ir.Operation) -> str:
        """Return the op's name; for a custom call the `chlo` op's, or `@target`."""
        if op.name != CUSTOM_CALL:
            return op.name
        return call_name(ir.StringAttr(op.attributes["call_target_name"]).value)

    @cached_property
    def types(self) -> tuple[TensorType, ...]:
        """The types of all operands."""
        return tuple(read_type(self.tensor(i).type) for i in range(len(self.operands)))

    @cached_property
    def options(self) -> Options:
        """The options of a custom call's dictionaries, by name."""
        return Options(self.op.attributes if self.op.name == CUSTOM_CALL else {})

    def finish(self) -> None:
        """Reject options that the conversion has not read, which may change the result."""
        known = sorted(self.options.asked)
        notes = [f"'{name}'{_closest(name, known)}" for name in sorted(self.options.unread())]
        if notes:
            several = f"options {', '.join(notes)}, which are" if len(notes) > 1 else f"option {notes[0]}, which is"
            self.refuse(f"has the {several} unknown", f"known options: {', '.join(known)}" if known else _NOTHING)

    def leave(self, *names: str) -> None:
        """Mark options as read that do not change the result of the conversion."""
        self.options.asked.update(names)

    def says(self, name: str, kind: str = "bool") -> Any:
        """Return an option of a kind of `ttstack.ops.attributes.Spelling`; None if absent."""
        return read_option(name, Spelling(kind), self.options[name]) if name in self.options else None

    def attribute(self, name: str) -> Any:
        """Return an attribute, or an option of a custom call; None if absent."""
        return self.options[name] if name in self.options else self.op.attributes.get(name)

    def integer(self, name: str) -> int:
        """Return an integer attribute."""
        return read_option(name, Spelling("integer"), self.attribute(name))

    def flag(self, name: str, default: bool = False) -> bool:
        """Return a bool attribute; `default` if absent."""
        found = self.attribute(name)
        return default if found is None else read_option(name, Spelling("bool"), found)

    def integers(self, name: str, default: Sequence[int] = ()) -> tuple[int, ...]:
        """Return a list of integers, or a flattened table; `default` if absent."""
        found = self.attribute(name)
        if found is None:
            return tuple(default)
        dense = isinstance(found, ir.DenseElementsAttr)
        return tuple(int(v) for v in (read_elements(found).reshape(-1) if dense else found))

    def word(self, name: str, default: str = "") -> str:
        """Return an enumerator of StableHLO, such as `LT` of `#stablehlo<comparison_direction LT>`."""
        found = _WORD.search(str(self.attribute(name)))
        return found[1] if found else default

    def block(self, region: int = 0) -> ir.Block:
        """Return the block of a region."""
        return self.op.regions[region].blocks[0]
