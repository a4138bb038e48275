"""Changes of layout that several ops ask of one value alike, made once."""

from collections.abc import Mapping, Sequence

from ttstack.buffers.aliasing import buffer_owners
from ttstack.dialects.base import definition, describe
from ttstack.dialects.placement_attrs import view_sources
from ttstack.dialects.tt import read_layout
from ttstack.dialects.types import read_type
from ttstack.mlir import ir
from ttstack.passes.base import Pass
from ttstack.passes.functions import body, functions, system_desc
from ttstack.passes.target import target_chip
from ttstack.system_desc import ChipDesc

_CHANGE = "ttnn.to_layout"


class ShareLayouts(Pass, name="share-layouts"):
    """Ops that read a value in the same other layout read one copy of it, where that takes no more L1 at any time.

    It does not where the copy lies in DRAM, and where nothing else reads the value after the copy is made: the copy
    lives on in place of the value, and is no larger.
    """

    def run(self, module: ir.Module) -> None:
        """Look at all changes of layout of every function."""
        desc = system_desc(module)
        for function in functions(module):
            _share(body(function), target_chip(function, desc))


def _share(ops: Sequence[ir.Operation], chip: ChipDesc) -> None:
    owners = buffer_owners(view_sources(ops))
    reads: dict[ir.Value, list[int]] = {}
    alike: dict[tuple[ir.Value, ir.Type], list[int]] = {}
    for at, op in enumerate(ops):
        for value in op.operands:
            reads.setdefault(owners.get(value, value), []).append(at)
        if op.name == _CHANGE:
            alike.setdefault((op.operands[0], op.results[0].type), []).append(at)
    for (value, _), (first, *others) in alike.items():
        if not others:
            continue
        copy, owner = ops[first].results[0], owners.get(value, value)
        later = [at for at in reads[owner] if at > first]
        instead = set(later) <= set(others) and _bytes(copy, chip) <= _bytes(owner, chip)
        if (instead or not _bytes(copy, chip)) and not any(_writes(ops[at], owner, owners) for at in later):
            for at in others:
                ops[at].results[0].replace_all_uses_with(copy)
                ops[at].erase()


def _writes(op: ir.Operation, buffer: ir.Value, owners: Mapping[ir.Value, ir.Value]) -> bool:
    """Whether an op changes what lies in a buffer."""
    if definition(op) is None:
        return False
    changed = (op.operands[i] for i in describe(op).mutated_operands)
    return any(owners.get(value, value) == buffer for value in changed)


def _bytes(value: ir.Value, chip: ChipDesc) -> int:
    """Bytes of L1 on each core."""
    layout = read_layout(value.type.encoding)
    return layout.bank_bytes(read_type(value.type), chip.num_cores) if layout.in_l1 else 0
