"""An op, and the same op on operands of other shapes."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ttstack.ops.base import Op
from ttstack.ops.types import TensorType


@dataclass(frozen=True)
class ReshapedOp(ABC):
    """An op of one result, and its attributes on operands of other shapes."""

    op: Op
    attributes: Mapping[str, Any]

    @abstractmethod
    def has_rows(self, position: int) -> bool:
        """Return True if an operand can come in the other shape from an op that is reshaped alike."""

    @abstractmethod
    def matrix(self, position: int) -> tuple[int, ...]:
        """The other shape of an operand."""

    @property
    @abstractmethod
    def result(self) -> tuple[int, ...]:
        """The other shape of the result."""

    @cached_property
    def folded(self) -> Op:
        """The op on operands of other shapes."""
        types = iter(t.with_shape(self.matrix(i)) for i, t in enumerate(self.op.operands))
        flat: list[TensorType | None] = []
        for place in (getattr(self.op, name) for name in self.op.operand_specs()):
            flat += [next(types) for _ in place] if isinstance(place, tuple) else [place and next(types)]
        return type(self.op).on(flat, self.attributes, *[t.with_shape(self.result) for t in self.op.results])
