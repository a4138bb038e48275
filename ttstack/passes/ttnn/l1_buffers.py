"""L1 buffers of a program in order, and their addresses."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from ttstack.buffers.lifetimes import BufferAccesses, lifetimes
from ttstack.buffers.memory import Memory
from ttstack.buffers.packing import Allocated, Life, allocate, pack, spans
from ttstack.device.layout import Layout
from ttstack.dialects.placement_attrs import read_placement
from ttstack.dialects.tt import read_layout
from ttstack.dialects.types import read_type
from ttstack.mlir import ir

CONSTANT, DEALLOCATE = "ttnn.constant", "ttnn.deallocate"


@dataclass(frozen=True)
class L1Buffers:
    """Values in L1 with their lifetimes, and the memory of one core."""

    values: Sequence[ir.Value]
    lives: Sequence[Life]
    memory: Memory

    @staticmethod
    def of(
        arguments: Sequence[ir.Value],
        ops: Sequence[ir.Operation],
        steps: Sequence[BufferAccesses[ir.Value]],
        views: Mapping[ir.Value, ir.Value],
        memory: Memory,
    ) -> "L1Buffers":
        """Return the buffers of ops in order, whose runs are `steps`; arguments and constants are live before."""
        given = [*arguments, *(op.results[0] for op in ops if op.name == CONSTANT)]
        scratch = [read_placement(op).circular_buffer_bytes for op in ops if op.name not in (CONSTANT, DEALLOCATE)]
        lives = lifetimes(steps, given, views)
        values = [value for value in lives if layout_of(value).in_l1]
        buffers = [(layout_of(v).bank_bytes(read_type(v.type), memory.banks), lives[v]) for v in values]
        spanned = spans([(nbytes, of.first, of.last) for nbytes, of in buffers], scratch, memory.base)
        return L1Buffers(values, spanned, memory)

    @cached_property
    def allocated(self) -> Allocated:
        """The allocation of the library's allocator."""
        return allocate(self.lives, self.memory.end, self.memory.alignment)

    @cached_property
    def addresses(self) -> tuple[int, ...] | None:
        """The allocator's addresses; packed tightly if that fails; None if nothing fits."""
        if not self.allocated.short:
            return self.allocated.addresses
        return pack(self.lives, self.memory.end, self.memory.alignment)

    def beside(self, at: int) -> list[ir.Value]:
        """Return the other values whose buffers are live at the same time."""
        one = self.lives[at]
        lives = zip(self.values, self.lives, strict=True)
        return [v for i, (v, of) in enumerate(lives) if i != at and of.first <= one.last and one.first <= of.last]


def layout_of(value: ir.Value) -> Layout:
    """Return the layout of a value's type."""
    return read_layout(value.type.encoding)
