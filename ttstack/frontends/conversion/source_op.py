"""One op of a source dialect under conversion: what a converting function is given."""

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
        """What the op is called in tables and errors."""
        return op.name

    @staticmethod
    def read(source_type: ir.Type) -> TensorType | None:
        """The tensor type that a type of the source becomes; None for what is no tensor of known shape and elements."""
        try:
            return read_type(source_type)
        except ValueError:
            return None

    @property
    def name(self) -> str:
        """What the op is called in tables and errors."""
        return self.name_of(self.op)

    @cached_property
    def results(self) -> tuple[TensorType | None, ...]:
        """Types of all results; None for one that is no tensor or has no static type."""
        return tuple(self.read(r.type) for r in self.op.results)

    @property
    def result(self) -> TensorType:
        """The type of the first result."""
        found = self.results[0]
        if found is None:
            self.refuse(f"has a result of type {self.op.results[0].type}")
        return found

    def is_used(self, i: int) -> bool:
        """Whether anything reads result `i`."""
        return next(iter(self.op.results[i].uses), None) is not None

    def tensor(self, i: int) -> ir.Value:
        """Operand `i`, a tensor."""
        if i >= len(self.operands):
            self.refuse(f"has {len(self.operands)} operands, expected at least {i + 1}")
        value = self.operands[i]
        if not isinstance(value.type, ir.RankedTensorType):
            self.refuse(f"takes {value.type} as operand {i}, not a tensor of static shape")
        return value

    def finish(self) -> None:
        """Judge, once the op is converted, what could not be judged before; raises `UnsupportedOpError`."""

    def refuse(self, why: str, hint: str | None = None) -> NoReturn:
        """Raise an `UnsupportedOpError` at the op's location: `<op> <why>`."""
        raise UnsupportedOpError(f"`{self.name}` {why}", loc=read_location(self.op.location) or None, hint=hint)
