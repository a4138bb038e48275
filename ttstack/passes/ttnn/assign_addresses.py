"""Give every buffer an address in its memory, for the whole of its life."""

from typing import Any

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
from ttstack.placement.allocator import Allocator
from ttstack.program.layout import MemorySpace
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
        self.l1 = Allocator(chip.l1_base, chip.l1_end, chip.l1.alignment_bytes)
        self.dram = Allocator(chip.dram_base, chip.dram_end, chip.dram.alignment_bytes)
        self.banks = {MemorySpace.L1: chip.num_cores, MemorySpace.DRAM: chip.dram_banks}
        self.addresses: dict[ir.Value, int] = {}
        self.numbers: dict[ir.Value, int] = {}

    def assign(self, function: Any) -> None:
        ops = body(function)
        owners = buffer_owners(ops)
        block = function.regions[0].blocks[0]
        self._check_arguments(function, block.arguments)
        arguments = [self._allocate(a, function.location, 0) for a in block.arguments]
        function.attributes[ADDRESS] = plain_attribute(arguments)
        constants = [op for op in ops if op.name == CONSTANT]
        for op in (*constants, *(op for op in ops[:-1] if op.name != CONSTANT)):
            if op.name == "ttnn.deallocate":
                self._free(op.operands[0])
            else:
                op.attributes[ADDRESS] = plain_attribute([self._address(op, r, owners) for r in op.results])

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

    def _address(self, op: Any, result: ir.Value, owners: dict[ir.Value, ir.Value]) -> int:
        if result in owners:
            return self.addresses[owners[result]]
        floor = 0 if op.name == CONSTANT else self.l1.base + read_placed(op).l1_bytes
        return self._allocate(result, op.location, floor)

    def _free(self, value: ir.Value) -> None:
        for memory in (self.l1, self.dram):
            memory.free(self.numbers[value])

    def _allocate(self, value: Any, location: Any, floor: int) -> int:
        t, layout = read_type(value.type), read_layout(value.type.encoding)
        if layout.on_host:
            self.numbers[value] = len(self.numbers)
            return 0
        memory = self.l1 if layout.in_l1 else self.dram
        size = layout.bank_bytes(t, self.banks[layout.memory_space])
        self.numbers[value] = len(self.numbers)
        address = memory.allocate(self.numbers[value], size, floor if layout.in_l1 else 0)
        if address is None:
            raise self._full(t, size, layout.memory_space, memory, location)
        self.addresses[value] = address
        return address

    def _full(self, t: Any, size: int, space: MemorySpace, memory: Allocator, location: Any) -> CapacityError:
        live = sum(bytes_ for _, bytes_, _ in memory.live)
        banks = self.banks[space]
        return CapacityError(
            f"{space.upper()} is full: {t} needs {size * banks:,} bytes, {live * banks:,} of "
            f"{(memory.end - memory.base) * banks:,} are in use",
            loc=read_location(location),
            hint="use a smaller element format (--dtype), smaller inputs, or a device with more memory",
        )
