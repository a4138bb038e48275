"""Buffers of a function: where they lie, how long they live, and whether two are ever in one place."""

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate

from ttstack.device.layout import MemorySpace
from ttstack.program.records import Function, Tensor
from ttstack.system_desc import ChipDesc

DEALLOCATE, TO_LAYOUT = "deallocate", "to_layout"

UNPLACED = (DEALLOCATE, TO_LAYOUT)
"""Operations that no model asks for: ends of buffers, and changes of layout between ops."""


@dataclass(frozen=True)
class Buffer:
    """The same bytes in every bank of a memory, while the ops at `first` to `last`, both included, run."""

    tensor: int
    space: MemorySpace
    start: int
    end: int
    first: int
    last: int

    @property
    def nbytes(self) -> int:
        """Bytes in each bank."""
        return self.end - self.start


@dataclass(frozen=True)
class Memory:
    """One memory of a chip as buffers see it: what programs may use of each of its banks."""

    banks: int
    base: int
    end: int
    alignment: int

    @staticmethod
    def of(chip: ChipDesc, space: MemorySpace) -> "Memory":
        """L1 of the worker cores, or the channels of DRAM."""
        if space is MemorySpace.L1:
            return Memory(chip.num_cores, chip.l1_base, chip.l1_end, chip.l1.alignment_bytes)
        return Memory(chip.dram_banks, chip.dram_base, chip.dram_end, chip.dram.alignment_bytes)


def bank_bytes(tensor: Tensor, chip: ChipDesc) -> int:
    """Bytes of the tensor in each bank of its memory."""
    return tensor.layout.bank_bytes(tensor.type, Memory.of(chip, tensor.layout.memory_space).banks)


def owner(function: Function, tensor: int) -> int:
    """The tensor whose buffer this one shares in the end; itself where it has its own."""
    while (alias := function.tensors[tensor].alias) is not None:
        tensor = alias
    return tensor


def buffers(function: Function, chip: ChipDesc) -> list[Buffer]:
    """The buffers of all tensors that have one, in the order in which they come to life."""
    last = {
        tensor: at
        for at, op in enumerate(function.operations)
        if op.name == DEALLOCATE
        for tensor in op.operands
        if tensor is not None
    }
    end = max(len(function.operations) - 1, 0)
    return [
        Buffer(
            tensor=tensor.id,
            space=tensor.layout.memory_space,
            start=tensor.address,
            end=tensor.address + bank_bytes(tensor, chip),
            first=first,
            last=last.get(tensor.id, end),
        )
        for first, tensor in _definitions(function)
        if tensor.alias is None
    ]


def _definitions(function: Function) -> Iterator[tuple[int, Tensor]]:
    """Every tensor after the position of the op that defines it; inputs are there from the first op on."""
    for tensor in function.inputs:
        yield 0, function.tensors[tensor]
    for at, op in enumerate(function.operations):
        for tensor in op.results:
            yield at, function.tensors[tensor]


def live_bytes(function: Function, chip: ChipDesc, space: MemorySpace = MemorySpace.L1) -> list[int]:
    """Bytes in use of each bank of a memory while each op runs; in L1, with the op's circular buffers."""
    changes = [0] * (len(function.operations) + 1)
    for buffer in buffers(function, chip):
        if buffer.space is space:
            changes[buffer.first] += buffer.nbytes
            changes[buffer.last + 1 if function.operations else 0] -= buffer.nbytes
    live = list(accumulate(changes[:-1]))
    if space is MemorySpace.L1:
        live = [held + op.circular_buffer_bytes for held, op in zip(live, function.operations, strict=True)]
    return live


class Occupancy:
    """The live buffers of one memory, in the order of their addresses."""

    def __init__(self) -> None:
        self._live: list[tuple[int, int, int]] = []

    def add(self, buffer: Buffer) -> int | None:
        """Put a buffer in, unless it overlaps another: then gives the tensor of that one."""
        if not buffer.nbytes:
            return None
        entry = (buffer.start, buffer.end, buffer.tensor)
        at = bisect_left(self._live, entry)
        for low, high, other in self._live[max(at - 1, 0) : at + 1]:
            if low < buffer.end and buffer.start < high:
                return other
        self._live.insert(at, entry)
        return None

    def remove(self, buffer: Buffer) -> None:
        """Take a buffer out."""
        if buffer.nbytes:
            del self._live[bisect_left(self._live, (buffer.start, buffer.end, buffer.tensor))]

    def lowest(self) -> tuple[int, int] | None:
        """Address and tensor of the lowest buffer; None where there is none."""
        return (self._live[0][0], self._live[0][2]) if self._live else None
