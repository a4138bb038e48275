"""An op of a source dialect during conversion: the argument of conversion functions."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NoReturn

from ttstack.diagnostics import UnsupportedOpError
from ttstack.dialects.location import read_location
from ttstack.dialects.types import read_type
from ttstack.mlir import ir
from ttstack.ops.types import TensorType


@dataclass(frozen=True)
class SourceOp:
    """An op of a source dialect with its converted operands."""

    op: ir.Operation
    operands: Sequence[ir.Value]

    @staticmethod
    def name_of(op: ir.Operation) -> str:
        """Return the name of the op in tables and errors."""
        return op.name

    @staticmethod
    def read(source_type: ir.Type) -> TensorType | None:
        """Return the tensor type of a source type; None unless shape and element type are known."""
        try:
            return read_type(source_type)
        except ValueError:
            return None

    @property
    def name(self) -> str:
        """The name of the op in tables and errors."""
        return self.name_of(self.op)

    @cached_property
    def results(self) -> tuple[TensorType | None, ...]:
        """The types of all results; None for one that is not a tensor or has no static type."""
        return tuple(self.read(r.type) for r in self.op.results)

    @property
    def result(self) -> TensorType:
        """The type of the first result."""
        found = self.results[0]
        if found is None:
            self.refuse(f"has a result of type {self.op.results[0].type}")
        return found

    def is_used(self, i: int) -> bool:
        """Return True if result `i` has a use."""
        return next(iter(self.op.results[i].uses), None) is not None

    def tensor(self, i: int) -> ir.Value:
        """Return operand `i`, a tensor."""
        if i >= len(self.operands):
            self.refuse(f"has {len(self.operands)} operands, expected at least {i + 1}")
        value = self.operands[i]
        if not isinstance(value.type, ir.RankedTensorType):
            self.refuse(f"takes {value.type} as operand {i}, not a tensor of static shape")
        return value

    def finish(self) -> None:
        """Raise `UnsupportedOpError` for errors that are known only after the conversion of the op."""

    def refuse(self, why: str, hint: str | None = None) -> NoReturn:
        """Raise an `UnsupportedOpError` at the op's location: `<op> <why>`."""
        raise UnsupportedOpError(f"`{self.name}` {why}", loc=read_location(self.op.location) or None, hint=hint)
