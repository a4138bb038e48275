"""Buffers in L1 of a program whose ops are in order, and the addresses that they get."""

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
    """Values that lie in L1, when each does, and the memory of one core."""

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
        """Those of ops in order, of which those that run have these steps; arguments and constants are there before."""
        given = [*arguments, *(op.results[0] for op in ops if op.name == CONSTANT)]
        scratch = [read_placement(op).circular_buffer_bytes for op in ops if op.name not in (CONSTANT, DEALLOCATE)]
        lives = lifetimes(steps, given, views)
        values = [value for value in lives if layout_of(value).in_l1]
        buffers = [(layout_of(v).bank_bytes(read_type(v.type), memory.banks), lives[v]) for v in values]
        spanned = spans([(nbytes, of.first, of.last) for nbytes, of in buffers], scratch, memory.base)
        return L1Buffers(values, spanned, memory)

    @cached_property
    def allocated(self) -> Allocated:
        """Where the library's allocator puts each."""
        return allocate(self.lives, self.memory.end, self.memory.alignment)

    @cached_property
    def addresses(self) -> tuple[int, ...] | None:
        """The allocator's, or packed as tightly as it goes where that finds no room; None where nothing does."""
        if not self.allocated.short:
            return self.allocated.addresses
        return pack(self.lives, self.memory.end, self.memory.alignment)

    def beside(self, at: int) -> list[ir.Value]:
        """The other values whose buffers live while one does."""
        one = self.lives[at]
        lives = zip(self.values, self.lives, strict=True)
        return [v for i, (v, of) in enumerate(lives) if i != at and of.first <= one.last and one.first <= of.last]


def layout_of(value: ir.Value) -> Layout:
    """The layout that a value's type says."""
    return read_layout(value.type.encoding)
