"""Ops on operands of other shapes."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ttstack.ops.base import Op


@dataclass(frozen=True)
class ReshapedOp(ABC):
    """An op with one result, and its attributes on operands of other shapes."""

    op: Op
    attributes: Mapping[str, Any]

    @abstractmethod
    def has_rows(self, position: int) -> bool:
        """Return True if an operand can come from a reshaped op in the other shape."""

    @abstractmethod
    def matrix(self, position: int) -> tuple[int, ...]:
        """Return the other shape of an operand."""

    @property
    @abstractmethod
    def result(self) -> tuple[int, ...]:
        """The other shape of the result."""

    @cached_property
    def folded(self) -> Op:
        """The op on operands of other shapes."""
        types = [t.with_shape(self.matrix(i)) for i, t in enumerate(self.op.operands)]
        return self.op.with_operands(types, self.attributes, *[t.with_shape(self.result) for t in self.op.results])
