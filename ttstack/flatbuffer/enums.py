"""Enumerations: the records' members and the schema's numbers, matched by name."""

from enum import StrEnum
from typing import Generic, TypeVar

from ttstack.device.device_op import Fidelity, Spread
from ttstack.device.layout import MemoryLayout, MemorySpace
from ttstack.flatbuffer._generated import binary_generated as schema
from ttstack.ops.loops import Access, Iterator
from ttstack.ops.types import DType
from ttstack.program.records import TensorKind

E = TypeVar("E", bound=StrEnum)


class Numbers(Generic[E]):
    """The schema's numbers for the members of an enumeration."""

    def __init__(self, members: type[E]) -> None:
        table: type = getattr(schema, members.__name__)
        self.name = members.__name__
        self.number = {member: int(getattr(table, member.name)) for member in members}
        self._member = {number: member for member, number in self.number.items()}

    def member(self, number: int) -> E:
        """Return the member of this number; raise `ValueError` if there is none."""
        try:
            return self._member[number]
        except KeyError:
            raise ValueError(f"{self.name} has no member {number}") from None


DTYPE = Numbers(DType)
MEMORY_SPACE = Numbers(MemorySpace)
MEMORY_LAYOUT = Numbers(MemoryLayout)
ITERATOR = Numbers(Iterator)
ACCESS = Numbers(Access)
TENSOR_KIND = Numbers(TensorKind)
SPREAD = Numbers(Spread)
FIDELITY = Numbers(Fidelity)
