"""Assignment of an address to every buffer for its lifetime."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from ttstack.buffers.aliasing import buffer_owners
from ttstack.buffers.lifetimes import BufferAccesses, lifetimes, live_bytes
from ttstack.buffers.memory import Memory
from ttstack.buffers.occupancy import Occupancy
from ttstack.buffers.packing import pack, spans
from ttstack.device.layout import MemorySpace
from ttstack.diagnostics import CapacityError
from ttstack.dialects.location import read_location
from ttstack.dialects.placement_attrs import ADDRESS, view_sources
from ttstack.dialects.python_attributes import plain_attribute
from ttstack.dialects.signature import IN_LOOP, read_arguments
from ttstack.dialects.types import read_type
from ttstack.mlir import func, ir
from ttstack.ops.types import DType
from ttstack.passes.base import Pass
from ttstack.passes.functions import body, called_functions, functions, system_desc
from ttstack.passes.stages import Stage
from ttstack.passes.target import target_chip
from ttstack.passes.ttnn.l1_buffers import CONSTANT, DEALLOCATE, L1Buffers, layout_of
from ttstack.placement.memory_advice import format_advice, name_largest, narrow
from ttstack.system_desc import ChipDesc


class AssignAddresses(
    Pass,
    name="assign-addresses",
    stage=Stage.MEMORY,
    after={"deallocate": "buffers with disjoint lifetimes share addresses"},
):
    """Set `tt.address` on arguments and ops: one offset per result, equal in all banks.

    L1 buffers are above the circular buffers of every op that runs during their lifetime, where the library's allocator
    will put them. If that fails for a manual or earlier placement, they are packed as tightly as possible.
    """

    def run(self, module: ir.Module) -> None:
        """Assign addresses in every function separately, with arguments and constants live from the start.

        A function that a loop runs gets the DRAM below all buffers of the function with the loop.
        """
        desc = system_desc(module)
        waiting = {function.name.value: function for function in functions(module)}
        ends: dict[str, int | None] = {name: None for name, f in waiting.items() if IN_LOOP not in f.attributes}
        while ends:
            name, end = ends.popitem()
            function = waiting.pop(name)
            lowest = _Memories(target_chip(function, desc), end).assign(function)
            ends |= {inner: lowest for op in body(function) for inner in called_functions(op) if inner in waiting}


class _Memories:
    def __init__(self, chip: ChipDesc, dram_end: int | None) -> None:
        self.chip = chip
        self.memories = {space: Memory.of(chip, space) for space in (MemorySpace.L1, MemorySpace.DRAM)}
        if dram_end is not None:
            self.memories[MemorySpace.DRAM] = replace(self.memories[MemorySpace.DRAM], end=dram_end)
        self.dram = Occupancy[ir.Value](self.memories[MemorySpace.DRAM])
        self.addresses: dict[ir.Value, int] = {}
        self.packed: dict[ir.Value, int] = {}
        """DRAM addresses that were assigned together."""

    def assign(self, function: func.FuncOp) -> int:
        """Set all addresses; return the lowest that a buffer in DRAM has."""
        ops = body(function)
        views = view_sources(ops)
        owners = buffer_owners(views)
        block = function.regions[0].blocks[0]
        self._allocate_l1(block.arguments, ops[:-1], views)
        self._check_arguments(function, block.arguments)
        in_l1 = dict(self.addresses)
        try:
            self._assign(function, ops, owners)
        except CapacityError:  # buffers that come and go leave gaps: all are laid out at once where that is enough
            self.addresses = in_l1
            if not self._pack_dram(block.arguments, ops[:-1], views):
                raise
            self._assign(function, ops, owners)
        in_dram = (at for v, at in self.addresses.items() if layout_of(v).memory_space is MemorySpace.DRAM)
        return min(in_dram, default=self.memories[MemorySpace.DRAM].end)

    def _assign(self, function: func.FuncOp, ops: Sequence[ir.Operation], owners: Mapping[ir.Value, ir.Value]) -> None:
        """Set precomputed addresses, and assign all others in program order."""
        block = function.regions[0].blocks[0]
        arguments = [self._address(a, function.location) for a in block.arguments]
        function.attributes[ADDRESS] = plain_attribute(arguments)
        constants = [op for op in ops if op.name == CONSTANT]
        for op in (*constants, *(op for op in ops[:-1] if op.name != CONSTANT)):
            if op.name == DEALLOCATE:
                self._free(op.operands[0])
            else:
                found = [self._address(owners.get(r, r), op.location) for r in op.results]
                op.attributes[ADDRESS] = plain_attribute(found)

    def _check_arguments(self, function: func.FuncOp, arguments: Sequence[ir.Value]) -> None:
        """Raise an error that names the largest arguments if all together exceed DRAM."""
        dram = self.memories[MemorySpace.DRAM]
        there = [(v, of) for v, of in zip(arguments, read_arguments(function), strict=True) if not layout_of(v).on_host]
        have = dram.capacity * dram.banks

        def need(dtype: DType | None = None) -> int:
            return dram.banks * sum(self._bank_bytes(v, dtype) for v, _ in there)

        if need() <= have:
            return
        raise CapacityError(
            f"the arguments of '{function.name.value}' need {need():,} bytes of DRAM, programs may use {have:,}",
            notes=self._name({v: f"{of.kind} '{of.name}'" for v, of in there}, dram),
            hint=format_advice(need, have)
            or "give embedding tables Tensor-Train form (--tensor-train), divide "
            "weights over a mesh, or describe a device with more memory",
        )

    def _name(self, values: Mapping[ir.Value, str], memory: Memory) -> tuple[str, ...]:
        """Return notes on the contents of a memory."""
        return name_largest(
            (self._bank_bytes(v) * memory.banks, f"{what}, {read_type(v.type)}") for v, what in values.items()
        )

    def _allocate_l1(
        self, arguments: Sequence[ir.Value], ops: list[ir.Operation], views: dict[ir.Value, ir.Value]
    ) -> None:
        """Assign the library allocator's addresses to all L1 buffers, above the circular buffers."""
        buffers = L1Buffers.of(arguments, ops, _steps(ops), views, self.memories[MemorySpace.L1])
        if buffers.addresses is None:
            i = min(buffers.allocated.short)
            raise self._full(buffers.values[i], MemorySpace.L1, buffers.beside(i))
        self.addresses |= dict(zip(buffers.values, buffers.addresses, strict=True))

    def _pack_dram(
        self, arguments: Sequence[ir.Value], ops: list[ir.Operation], views: dict[ir.Value, ir.Value]
    ) -> bool:
        """Assign addresses to all DRAM buffers together; return False if they do not fit."""
        given = [*arguments, *(op.results[0] for op in ops if op.name == CONSTANT)]
        lives = lifetimes(_steps(ops), given, views)
        values = [value for value in lives if layout_of(value).memory_space is MemorySpace.DRAM]
        memory = self.memories[MemorySpace.DRAM]
        buffers = [(self._bank_bytes(v), lives[v].first, lives[v].last) for v in values]
        used = live_bytes([(lives[v], self._bank_bytes(v)) for v in values], len(ops))
        if max(used, default=0) > memory.capacity:
            return False
        packed = pack(spans(buffers, (), memory.base), memory.end, memory.alignment)
        if packed is not None:
            self.packed |= dict(zip(values, packed, strict=True))
            self.addresses |= self.packed
        return packed is not None

    def _address(self, value: ir.Value, location: ir.Location) -> int:
        if value in self.addresses:
            return self.addresses[value]
        if layout_of(value).on_host:
            return 0
        address = self.dram.allocate(value, self._bank_bytes(value))
        if address is None:
            raise self._full(value, MemorySpace.DRAM, self.dram.owners(), location)
        self.addresses[value] = address
        return address

    def _free(self, value: ir.Value) -> None:
        if layout_of(value).memory_space is MemorySpace.DRAM and value not in self.packed:
            self.dram.remove(self.addresses[value], self._bank_bytes(value))

    def _bank_bytes(self, value: ir.Value, dtype: DType | None = None) -> int:
        """Return the bytes in each bank; with real numbers in `dtype` if that is narrower."""
        layout = layout_of(value) if dtype is None else narrow(layout_of(value), dtype)
        return layout.bank_bytes(read_type(value.type), self.memories[layout.memory_space].banks)

    def _full(
        self, value: ir.Value, space: MemorySpace, live: Iterable[ir.Value], location: ir.Location | None = None
    ) -> CapacityError:
        memory, lying = self.memories[space], {v: _title(v) for v in live}
        used = sum(map(self._bank_bytes, lying))
        have = memory.capacity * memory.banks

        def need(dtype: DType | None = None) -> int:
            return memory.banks * sum(self._bank_bytes(v, dtype) for v in (value, *lying))

        fewer = min(have, need() - 1)  # where gaps are what is too large, a format that takes as much is not help
        return CapacityError(
            f"{space.upper()} is full: {read_type(value.type)} needs {self._bank_bytes(value) * memory.banks:,} bytes, "
            f"{used * memory.banks:,} of {have:,} are in use",
            loc=read_location(location or value.location),
            notes=self._name(lying, memory),
            hint=format_advice(need, fewer) or "use smaller inputs, or describe a device with more memory",
        )


def _title(value: ir.Value) -> str:
    """Return the description of a value for error messages."""
    if isinstance(value, ir.BlockArgument):
        return f"argument {value.arg_number}"
    op = ir.OpResult(value).owner
    return f"result of '{op.name.partition('.')[2]}' ({read_location(op.location)})"


def _steps(ops: Sequence[ir.Operation]) -> list[BufferAccesses[ir.Value]]:
    """Return the ops that run, each with the deallocations after it."""
    found: list[BufferAccesses[ir.Value]] = []
    for op in ops:
        if op.name == DEALLOCATE:
            found[-1] = replace(found[-1], ends=(*found[-1].ends, *op.operands))
        elif op.name != CONSTANT:
            found.append(BufferAccesses(op.operands, op.results))
    return found
