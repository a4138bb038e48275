"""The op that a dispatch was made of: what `ttir.generic` keeps of it beside its nest."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ttstack.ops.base import Op
from ttstack.ops.types import TensorType


@dataclass(frozen=True)
class GenericSource:
    """The op that a dispatch was made of; the name is empty where it was written as one."""

    name: str = ""
    attributes: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """Those that are not as they are by default."""
    places: tuple[int, ...] = ()
    """The place of each operand, where some are absent before others."""

    @classmethod
    def of(cls, op: Op) -> "GenericSource":
        """What is kept of an op."""
        specs = op.attribute_specs()
        changed = {name: value for name, value in op.attributes().items() if value != specs[name].default}
        places = tuple(at for at, name in enumerate(op.operand_specs()) if getattr(op, name) is not None)
        return cls(op.mnemonic, changed, () if places == tuple(range(len(places))) else places)

    def by_place(self, operands: Sequence[TensorType]) -> list[TensorType | None]:
        """Operands in the order of the places, None where one is absent."""
        if not self.places:
            return list(operands)
        there = dict(zip(self.places, operands, strict=True))
        return [there.get(place) for place in range(max(self.places) + 1)]


WRITTEN = GenericSource()
"""None: the dispatch was written as one."""
