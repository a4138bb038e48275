"""The origin of a dispatch, which `ttir.generic` keeps next to its nest."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ttstack.ops.base import Op
from ttstack.ops.types import TensorType


@dataclass(frozen=True)
class GenericSource:
    """The op that a dispatch was created from; the name is empty if it was written as a dispatch."""

    name: str = ""
    attributes: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """Attributes that differ from their defaults."""
    places: tuple[int, ...] = ()
    """The position of each operand, if absent operands precede others."""

    @classmethod
    def of(cls, op: Op) -> "GenericSource":
        """Return the origin of an op."""
        specs = op.attribute_specs()
        changed = {name: value for name, value in op.attributes().items() if value != specs[name].default}
        places = tuple(at for at, name in enumerate(op.operand_specs()) if getattr(op, name) is not None)
        return cls(op.mnemonic, changed, () if places == tuple(range(len(places))) else places)

    def by_place(self, operands: Sequence[TensorType]) -> list[TensorType | None]:
        """Return the operands by position, with None for absent ones."""
        if not self.places:
            return list(operands)
        there = dict(zip(self.places, operands, strict=True))
        return [there.get(place) for place in range(max(self.places) + 1)]


WRITTEN = GenericSource()
"""The origin of a dispatch that was written as one: none."""
