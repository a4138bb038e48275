"""Give every buffer an address in its memory, for the whole of its life."""

from typing import Any

from ttstack.device.layout import Layout, MemorySpace
from ttstack.diagnostics import CapacityError
from ttstack.dialects.location import read_location
from ttstack.dialects.placed import ADDRESS, read_placed
from ttstack.dialects.plain import plain_attribute
from ttstack.dialects.signature import read_arguments
from ttstack.dialects.tt import read_layout
from ttstack.dialects.types import read_type
from ttstack.mlir import ir
from ttstack.passes.base import Pass
from ttstack.passes.functions import body, functions, system_desc
from ttstack.passes.target import target_chip
from ttstack.passes.ttnn.buffers import buffer_owners
from ttstack.placement.addresses import pack, spans
from ttstack.placement.allocator import Allocator
from ttstack.program.buffers import Memory
from ttstack.system_desc import ChipDesc

CONSTANT = "ttnn.constant"

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
        self.banks = {space: Memory.of(chip, space).banks for space in (MemorySpace.L1, MemorySpace.DRAM)}
        memory = Memory.of(chip, MemorySpace.DRAM)
        self.dram = Allocator(memory.base, memory.end, memory.alignment)
        self.addresses: dict[ir.Value, int] = {}
        self.numbers: dict[ir.Value, int] = {}

    def assign(self, function: Any) -> None:
        ops = body(function)
        owners = buffer_owners(ops)
        block = function.regions[0].blocks[0]
        self._pack_l1(block.arguments, ops[:-1], owners)
        self._check_arguments(function, block.arguments)
        arguments = [self._address(a, function.location) for a in block.arguments]
        function.attributes[ADDRESS] = plain_attribute(arguments)
        constants = [op for op in ops if op.name == CONSTANT]
        for op in (*constants, *(op for op in ops[:-1] if op.name != CONSTANT)):
            if op.name == "ttnn.deallocate":
                self._free(op.operands[0])
            else:
                found = [self._address(owners.get(r, r), op.location) for r in op.results]
                op.attributes[ADDRESS] = plain_attribute(found)

    def _check_arguments(self, function: Any, arguments: Any) -> None:
        """All arguments together fit DRAM; where they do not, the largest are named."""
        sizes: list[tuple[int, str]] = []
        for value, signature in zip(arguments, read_arguments(function), strict=True):
            t, layout = read_type(value.type), read_layout(value.type.encoding)
            if layout.memory_space is MemorySpace.DRAM:
                banks = self.banks[MemorySpace.DRAM]
                sizes.append((layout.bank_bytes(t, banks) * banks, f"{signature.kind} '{signature.name}', {t}"))
        need, have = sum(size for size, _ in sizes), (self.dram.end - self.dram.base) * self.banks[MemorySpace.DRAM]
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

    def _pack_l1(self, arguments: Any, ops: list[Any], owners: dict[ir.Value, ir.Value]) -> None:
        """Give addresses to all buffers in L1 at once: their lives and the circular buffers below them are known."""
        scratch: list[int] = []
        constants = [op.results[0] for op in ops if op.name == CONSTANT]
        first: dict[ir.Value, int] = {v: 0 for v in (*arguments, *constants) if _layout(v).in_l1}
        last: dict[ir.Value, int] = {}
        for op in (op for op in ops if op.name != CONSTANT):
            if op.name == "ttnn.deallocate":
                last[op.operands[0]] = len(scratch) - 1
                continue
            first |= {r: len(scratch) for r in op.results if r not in owners and _layout(r).in_l1}
            scratch.append(read_placed(op).circular_buffer_bytes)
        buffers = [(self._bank_bytes(v), at, last.get(v, len(scratch) - 1)) for v, at in first.items()]
        memory = Memory.of(self.chip, MemorySpace.L1)
        packed = pack(spans(buffers, scratch, memory.base), memory.end, memory.alignment)
        values = list(first)
        if packed.left_over is not None:
            raise self._full(values[packed.left_over], MemorySpace.L1, sum(b for b, *_ in buffers))
        self.addresses |= dict(zip(values, packed.addresses, strict=True))

    def _address(self, value: Any, location: Any) -> int:
        if value in self.addresses:
            return self.addresses[value]
        if _layout(value).on_host:
            return 0
        self.numbers[value] = len(self.numbers)
        address = self.dram.allocate(self.numbers[value], self._bank_bytes(value))
        if address is None:
            raise self._full(value, MemorySpace.DRAM, sum(nbytes for _, nbytes, _ in self.dram.live), location)
        self.addresses[value] = address
        return address

    def _free(self, value: ir.Value) -> None:
        if value in self.numbers:
            self.dram.free(self.numbers[value])

    def _bank_bytes(self, value: Any) -> int:
        layout = _layout(value)
        return layout.bank_bytes(read_type(value.type), self.banks[layout.memory_space])

    def _full(self, value: Any, space: MemorySpace, live: int, location: Any = None) -> CapacityError:
        banks, memory = self.banks[space], Memory.of(self.chip, space)
        return CapacityError(
            f"{space.upper()} is full: {read_type(value.type)} needs {self._bank_bytes(value) * banks:,} bytes, "
            f"{live * banks:,} of {(memory.end - memory.base) * banks:,} are in use",
            loc=read_location(location or value.owner.location),
            hint="use a smaller element format (--dtype), smaller inputs, or a device with more memory",
        )


def _layout(value: Any) -> Layout:
    return read_layout(value.type.encoding)
