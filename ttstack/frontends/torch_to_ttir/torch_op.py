"""A torch op during conversion: operands as Python values and as TTIR values."""

from dataclasses import dataclass
from typing import Any

from ttstack.dialects.defining_op import defining_op
from ttstack.dialects.python_attributes import read_plain
from ttstack.frontends import conversion
from ttstack.frontends.torch_to_ttir.types import read_torch_type
from ttstack.mlir import ir
from ttstack.ops.types import TensorType

OPERATOR = "torch.operator"
"""The op that stands for ops outside of the torch dialect; its attribute `name` is theirs."""

CONSTANT = "torch.constant."
"""The prefix of ops for numbers, strings and None."""


@dataclass(frozen=True)
class TorchOp(conversion.SourceOp):
    """A torch op with its converted operands; operand `i` is read as the type in the op's schema."""

    @staticmethod
    def name_of(op: ir.Operation) -> str:
        """Return the torch op of an operation: `torch.aten.relu`."""
        return ir.StringAttr(op.attributes["name"]).value if op.name == OPERATOR else op.name

    @staticmethod
    def read(source_type: ir.Type) -> TensorType | None:
        """Return the tensor type of a `!torch.vtensor` with static shape and known element type."""
        return read_torch_type(source_type)

    def optional(self, i: int) -> ir.Value | None:
        """Return a tensor or None."""
        return None if self.is_none(i) else self.tensor(i)

    def operand(self, i: int) -> ir.Value | int | float:
        """Return a tensor or a number."""
        value = self.operands[i]
        return value if isinstance(value.type, ir.RankedTensorType) else self._constant(value)

    def tensors(self, i: int) -> list[ir.Value]:
        """Return a list of tensors."""
        return self._elements(i)

    def optionals(self, i: int) -> list[ir.Value | None]:
        """Return a list of tensors and Nones."""
        return [None if _is_none(v) else v for v in self._elements(i)]

    def integer(self, i: int) -> int:
        """Return an integer."""
        return int(self._constant(self.operands[i]))

    def number(self, i: int) -> int | float:
        """Return an integer, a real number or a bool."""
        return self._constant(self.operands[i])

    def flag(self, i: int) -> bool:
        """Return a bool."""
        return bool(self._constant(self.operands[i]))

    def text(self, i: int) -> str:
        """Return a string."""
        return self._constant(self.operands[i])

    def integers(self, i: int) -> tuple[int, ...]:
        """Return a list of integers."""
        return tuple(int(self._constant(v)) for v in self._elements(i))

    def sides(self, i: int, rank: int) -> tuple[int, ...]:
        """Return an integer for each of `rank` axes; a list of one is repeated."""
        given = self.integers(i)
        return given * rank if len(given) == 1 else given

    def numbers(self, i: int) -> tuple[float, ...]:
        """Return a list of real numbers."""
        return tuple(float(self._constant(v)) for v in self._elements(i))

    def is_none(self, i: int) -> bool:
        """Return True for None and for absent operands."""
        return i >= len(self.operands) or _is_none(self.operands[i])

    def _elements(self, i: int) -> list[ir.Value]:
        """Return the elements of a list, which is a cast of them."""
        made_by = defining_op(self.operands[i])
        return [] if made_by is None else list(made_by.operands)

    def _constant(self, value: ir.Value) -> Any:
        owner = defining_op(value)
        if owner is None or not owner.name.startswith(CONSTANT):
            self.refuse("takes a number that is computed by the model", "use numbers known when the model is exported")
        return read_plain(owner.attributes["value"])


def _is_none(value: ir.Value) -> bool:
    return str(value.type) == "!torch.none"
