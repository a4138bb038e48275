"""Give every buffer an address in its memory, for the whole of its life."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ttstack.buffers.aliasing import buffer_owners
from ttstack.buffers.lifetimes import BufferAccesses, lifetimes
from ttstack.buffers.memory import Memory
from ttstack.buffers.occupancy import Occupancy
from ttstack.buffers.packing import pack, spans
from ttstack.device.layout import Layout, MemorySpace
from ttstack.diagnostics import CapacityError
from ttstack.dialects.location import read_location
from ttstack.dialects.placement_attrs import ADDRESS, read_placement, view_sources
from ttstack.dialects.python_attributes import plain_attribute
from ttstack.dialects.signature import read_arguments
from ttstack.dialects.tt import read_layout
from ttstack.dialects.types import read_type
from ttstack.mlir import func, ir
from ttstack.passes.base import Pass
from ttstack.passes.functions import body, functions, system_desc
from ttstack.passes.target import target_chip
from ttstack.system_desc import ChipDesc

CONSTANT, DEALLOCATE = "ttnn.constant", "ttnn.deallocate"

_NAMED = 8
"""Arguments that are named where all of them together do not fit."""


class AssignAddresses(Pass, name="assign-addresses"):
    """Set `tt.address` on arguments and ops: one offset for each result, the same in every bank.

    Buffers of L1 lie above the circular buffers of every op that runs during their life.
    """

    def run(self, module: ir.Module) -> None:
        """Assign in every function; each has the memories to itself, arguments and constants from the start."""
        desc = system_desc(module)
        for function in functions(module):
            _Memories(target_chip(function, desc)).assign(function)


class _Memories:
    def __init__(self, chip: ChipDesc) -> None:
        self.chip = chip
        self.memories = {space: Memory.of(chip, space) for space in (MemorySpace.L1, MemorySpace.DRAM)}
        self.dram = Occupancy[ir.Value](self.memories[MemorySpace.DRAM])
        self.addresses: dict[ir.Value, int] = {}

    def assign(self, function: func.FuncOp) -> None:
        ops = body(function)
        views = view_sources(ops)
        owners = buffer_owners(views)
        block = function.regions[0].blocks[0]
        self._pack_l1(block.arguments, ops[:-1], views)
        self._check_arguments(function, block.arguments)
        arguments = [self._address(a, function.location) for a in block.arguments]
        function.attributes[ADDRESS] = plain_attribute(arguments)
        constants = [op for op in ops if op.name == CONSTANT]
        for op in (*constants, *(op for op in ops[:-1] if op.name != CONSTANT)):
            if op.name == DEALLOCATE:
                self._free(op.operands[0])
            else:
                found = [self._address(owners.get(r, r), op.location) for r in op.results]
                op.attributes[ADDRESS] = plain_attribute(found)

    def _check_arguments(self, function: func.FuncOp, arguments: Any) -> None:
        """All arguments together fit DRAM; where they do not, the largest are named."""
        sizes: list[tuple[int, str]] = []
        for value, signature in zip(arguments, read_arguments(function), strict=True):
            t, layout = read_type(value.type), read_layout(value.type.encoding)
            if layout.memory_space is MemorySpace.DRAM:
                banks = self.memories[MemorySpace.DRAM].banks
                sizes.append((layout.bank_bytes(t, banks) * banks, f"{signature.kind} '{signature.name}', {t}"))
        dram = self.memories[MemorySpace.DRAM]
        need, have = sum(size for size, _ in sizes), dram.capacity * dram.banks
        if need <= have:
            return
        largest = sorted(sizes, reverse=True)[:_NAMED]
        others = f"{len(sizes) - len(largest)} more: {need - sum(size for size, _ in largest):,} bytes"
        raise CapacityError(
            f"the arguments of '{function.name.value}' need {need:,} bytes of DRAM, programs may use {have:,}",
            notes=(*(f"{what}: {size:,} bytes" for size, what in largest), *([others] if len(sizes) > _NAMED else [])),
            hint="give embedding tables Tensor-Train form (--tensor-train), use a smaller element format (--dtype), "
            "or a device with more memory",
        )

    def _pack_l1(self, arguments: Any, ops: list[ir.Operation], views: dict[ir.Value, ir.Value]) -> None:
        """Give addresses to all buffers in L1 at once: their lives and the circular buffers below them are known."""
        launching = [op for op in ops if op.name not in (CONSTANT, DEALLOCATE)]
        given = [*arguments, *(op.results[0] for op in ops if op.name == CONSTANT)]
        lives = lifetimes(_steps(ops), given, views)
        values = [value for value in lives if _layout(value).in_l1]
        buffers = [(self._bank_bytes(v), lives[v].first, lives[v].last) for v in values]
        memory = self.memories[MemorySpace.L1]
        scratch = [read_placement(op).circular_buffer_bytes for op in launching]
        packed = pack(spans(buffers, scratch, memory.base), memory.end, memory.alignment)
        if packed.left_over is not None:
            raise self._full(values[packed.left_over], MemorySpace.L1, sum(b for b, *_ in buffers))
        self.addresses |= dict(zip(values, packed.addresses, strict=True))

    def _address(self, value: Any, location: ir.Location) -> int:
        if value in self.addresses:
            return self.addresses[value]
        if _layout(value).on_host:
            return 0
        address = self.dram.allocate(value, self._bank_bytes(value))
        if address is None:
            raise self._full(value, MemorySpace.DRAM, self.dram.used, location)
        self.addresses[value] = address
        return address

    def _free(self, value: ir.Value) -> None:
        if _layout(value).memory_space is MemorySpace.DRAM:
            self.dram.remove(self.addresses[value], self._bank_bytes(value))

    def _bank_bytes(self, value: ir.Value) -> int:
        layout = _layout(value)
        return layout.bank_bytes(read_type(value.type), self.memories[layout.memory_space].banks)

    def _full(self, value: Any, space: MemorySpace, live: int, location: Any = None) -> CapacityError:
        memory = self.memories[space]
        return CapacityError(
            f"{space.upper()} is full: {read_type(value.type)} needs {self._bank_bytes(value) * memory.banks:,} bytes, "
            f"{live * memory.banks:,} of {memory.capacity * memory.banks:,} are in use",
            loc=read_location(location or value.owner.location),
            hint="use a smaller element format (--dtype), smaller inputs, or a device with more memory",
        )


def _steps(ops: Sequence[ir.Operation]) -> list[BufferAccesses[ir.Value]]:
    """The ops that run, each with the ends of buffers that follow it."""
    found: list[BufferAccesses[ir.Value]] = []
    for op in ops:
        if op.name == DEALLOCATE:
            found[-1] = replace(found[-1], ends=(*found[-1].ends, *op.operands))
        elif op.name != CONSTANT:
            found.append(BufferAccesses(op.operands, op.results))
    return found


def _layout(value: Any) -> Layout:
    return read_layout(value.type.encoding)
