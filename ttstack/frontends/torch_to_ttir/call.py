"""One op of the torch dialect under conversion: its operands as Python values and as TTIR values."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NoReturn

from ttstack.diagnostics import UnsupportedOpError
from ttstack.dialects.location import read_location
from ttstack.frontends.torch_to_ttir.types import read_torch_type
from ttstack.mlir import ir
from ttstack.ops.types import TensorType

OPERATOR = "torch.operator"
"""The op that stands for all that the torch dialect does not define; its attribute `name` says which."""


def torch_name(op: Any) -> str:
    """The torch op that an operation is: `torch.aten.relu`."""
    return op.attributes["name"].value if op.name == OPERATOR else op.name


@dataclass(frozen=True)
class Call:
    """A torch op with its converted operands. Operand `i` is read as what the op's schema says it is."""

    op: Any
    operands: Sequence[ir.Value]

    @property
    def name(self) -> str:
        """The torch op's name."""
        return torch_name(self.op)

    @cached_property
    def results(self) -> tuple[TensorType | None, ...]:
        """Types of all results; None for one that is no tensor or has no static type."""
        return tuple(read_torch_type(r.type) for r in self.op.results)

    @property
    def result(self) -> TensorType:
        """The type of the first result."""
        found = self.results[0]
        if found is None:
            self.refuse(f"has a result of type {self.op.results[0].type}")
        return found

    def used(self, i: int) -> bool:
        """Whether anything reads result `i`."""
        return next(iter(self.op.results[i].uses), None) is not None

    def tensor(self, i: int) -> ir.Value:
        """A tensor."""
        value = self.operands[i]
        if not isinstance(value.type, ir.RankedTensorType):
            self.refuse(f"takes {value.type} as operand {i}, not a tensor of static shape")
        return value

    def optional(self, i: int) -> ir.Value | None:
        """A tensor or None."""
        return None if self.is_none(i) else self.tensor(i)

    def operand(self, i: int) -> ir.Value | int | float:
        """A tensor or a number."""
        value = self.operands[i]
        return value if isinstance(value.type, ir.RankedTensorType) else self._constant(value)

    def tensors(self, i: int) -> list[ir.Value]:
        """A list of tensors."""
        return self._elements(i)

    def optionals(self, i: int) -> list[ir.Value | None]:
        """A list of tensors and Nones."""
        return [None if _is_none(v) else v for v in self._elements(i)]

    def integer(self, i: int) -> int:
        """An integer."""
        return int(self._constant(self.operands[i]))

    def number(self, i: int) -> int | float:
        """An integer, a real number or a boolean, as it is spelled."""
        return self._constant(self.operands[i])

    def flag(self, i: int) -> bool:
        """A boolean."""
        return bool(self._constant(self.operands[i]))

    def text(self, i: int) -> str:
        """A string."""
        return self._constant(self.operands[i])

    def integers(self, i: int) -> tuple[int, ...]:
        """A list of integers."""
        return tuple(int(self._constant(v)) for v in self._elements(i))

    def numbers(self, i: int) -> tuple[float, ...]:
        """A list of real numbers."""
        return tuple(float(self._constant(v)) for v in self._elements(i))

    def is_none(self, i: int) -> bool:
        """Whether it is None, or left out."""
        return i >= len(self.operands) or _is_none(self.operands[i])

    def refuse(self, why: str, hint: str | None = None) -> NoReturn:
        """Raise an `UnsupportedOpError` at the op's location: `<op> <why>`."""
        raise UnsupportedOpError(f"`{self.name}` {why}", loc=read_location(self.op.location) or None, hint=hint)

    def _elements(self, i: int) -> list[ir.Value]:
        """What a list was converted from; lists are casts from their elements."""
        made_by: Any = self.operands[i].owner
        return list(made_by.operands)

    def _constant(self, value: ir.Value) -> Any:
        owner: Any = value.owner
        if not getattr(owner, "name", "").startswith("torch.constant."):
            self.refuse("takes a number that is computed by the model", "use numbers known when the model is exported")
        return owner.attributes["value"].value


def _is_none(value: ir.Value) -> bool:
    return str(value.type) == "!torch.none"
