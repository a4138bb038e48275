"""Sharing of equal layout changes of one value."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from ttstack.buffers.aliasing import buffer_owners
from ttstack.buffers.lifetimes import BufferAccesses, last_uses
from ttstack.buffers.memory import Memory
from ttstack.device.layout import MemorySpace
from ttstack.dialects.base import definition, definition_of
from ttstack.dialects.placement_attrs import view_sources
from ttstack.dialects.types import read_type
from ttstack.mlir import ir
from ttstack.passes.base import Pass
from ttstack.passes.functions import body, functions, system_desc
from ttstack.passes.stages import Stage
from ttstack.passes.target import target_chip
from ttstack.passes.ttnn.l1_buffers import CONSTANT, L1Buffers, layout_of
from ttstack.system_desc import ChipDesc

_CHANGE = "ttnn.to_layout"


class ShareLayouts(Pass, name="share-layouts", optional=True, stage=Stage.MEMORY):
    """Share one copy of a value among ops that read it in the same other layout, if L1 use does not grow.

    L1 use does not grow if the copy is in DRAM, or if the value has no later use: the copy then replaces the value, and
    is not larger. All L1 buffers must still fit.
    """

    def run(self, module: ir.Module) -> None:
        """Rewrite all layout changes of every function."""
        desc = system_desc(module)
        for function in functions(module):
            sharing = _Sharing(function.regions[0].blocks[0].arguments, body(function), target_chip(function, desc))
            for first, others in sharing.select():
                for op in others:
                    op.results[0].replace_all_uses_with(first.results[0])
                    op.erase()


_Group = tuple[ir.Operation, Sequence[ir.Operation]]
"""A layout change, and later equal ones."""


@dataclass(frozen=True)
class _Sharing:
    """The search for equal layout changes in a function."""

    arguments: Sequence[ir.Value]
    ops: Sequence[ir.Operation]
    chip: ChipDesc

    def select(self) -> list[_Group]:
        """Return the groups that share one copy: all candidates, or greedily those that fit."""
        groups = list(self._groups())
        if not groups or self._has_room(groups):
            return groups
        kept: list[_Group] = []
        for group in groups:
            kept += [group] if self._has_room([*kept, group]) else []
        return kept

    @cached_property
    def _views(self) -> dict[ir.Value, ir.Value]:
        return view_sources(self.ops)

    def _groups(self) -> Iterator[_Group]:
        owners = buffer_owners(self._views)
        reads: dict[ir.Value, list[int]] = {}
        alike: dict[tuple[ir.Value, ir.Type], list[int]] = {}
        for at, op in enumerate(self.ops):
            for value in op.operands:
                reads.setdefault(owners.get(value, value), []).append(at)
            if op.name == _CHANGE:
                alike.setdefault((op.operands[0], op.results[0].type), []).append(at)
        for (value, _), (first, *others) in alike.items():
            copy, owner = self.ops[first].results[0], owners.get(value, value)
            later = [at for at in reads[owner] if at > first]
            instead = set(later) <= set(others) and self._bytes(copy) <= self._bytes(owner)
            written = any(_writes(self.ops[at], owner, owners) for at in later)
            if others and (instead or not self._bytes(copy)) and not written:
                yield self.ops[first], [self.ops[at] for at in others]

    def _has_room(self, groups: Sequence[_Group]) -> bool:
        """Return True if all L1 buffers have addresses after these changes are shared."""
        instead = {op.results[0]: first.results[0] for first, others in groups for op in others}
        kept = [op for op in self.ops if not instead.keys() & {*op.results}]
        running = [op for op in kept if op.name != CONSTANT]
        views = {view: instead.get(of, of) for view, of in self._views.items()}
        reads = [BufferAccesses[ir.Value]([instead.get(v, v) for v in op.operands], op.results) for op in running]
        made = {result for op in running for result in op.results}
        ends: list[list[ir.Value]] = [[] for _ in running]
        for value, at in last_uses(reads, buffer_owners(views)).items():
            ends[at] += [value] if value in made else []
        steps = [replace(step, ends=of) for step, of in zip(reads[:-1], ends[:-1], strict=True)]  # all but the return
        memory = Memory.of(self.chip, MemorySpace.L1)
        return L1Buffers.of(self.arguments, kept[:-1], steps, views, memory).addresses is not None

    def _bytes(self, value: ir.Value) -> int:
        """Return the bytes of L1 on each core."""
        layout = layout_of(value)
        return layout.bank_bytes(read_type(value.type), self.chip.num_cores) if layout.in_l1 else 0


def _writes(op: ir.Operation, buffer: ir.Value, owners: Mapping[ir.Value, ir.Value]) -> bool:
    """Return True if an op writes to a buffer."""
    if definition(op) is None:
        return False
    changed = (op.operands[i] for i in definition_of(op).mutated_operands)
    return any(owners.get(value, value) == buffer for value in changed)
