"""Copies of what is still read when its buffer is overwritten; then buffers are what they are called again."""

from collections.abc import Mapping, Sequence
from typing import Any

from ttstack.buffers.aliasing import buffer_owners
from ttstack.buffers.lifetimes import Step, last_reads
from ttstack.dialects.base import attribute_values, create, definition, operands_by_place
from ttstack.dialects.ttir.builders import ttir
from ttstack.mlir import ir
from ttstack.passes.base import Pass
from ttstack.passes.functions import body, functions
from ttstack.passes.ttir.writes import through_views, view_sources, written


class InsertCopies(Pass, name="insert-copies"):
    """A value whose buffer is written to while the value is in use becomes a `ttir.clone`, or a view of one.

    Ops that write to an operand lose their result, which is that operand: from here on, the order of ops counts.
    """

    def run(self, module: ir.Module) -> None:
        """Look at every function."""
        for function in functions(module):
            while _resolve_conflict(body(function)):
                pass
            for op in body(function):
                _drop_result(op)


def _resolve_conflict(ops: Sequence[Any]) -> bool:
    """Insert one copy; False where none is needed."""
    writes = [(at, op, target) for at, op in enumerate(ops) if (target := written(op)) is not None]
    if not writes:
        return False
    views = view_sources(ops)
    owners = buffer_owners({**views, **{op.results[0]: target for _, op, target in writes if len(op.results)}})
    until = last_reads([Step(op.operands, op.results) for op in ops], views)
    made = {result: at for at, op in enumerate(ops) for result in op.results}
    for at, op, target in writes:
        owner = owners.get(target, target)
        late = [v for v in until if owners.get(v, v) == owner and made.get(v, -1) < at < until[v]]
        for value in sorted(late, key=lambda v: made.get(v, -1)):
            if _copied(value, op, views):
                return True
    return False


def _copied(value: Any, write: Any, views: Mapping[ir.Value, ir.Value]) -> bool:
    """Let later ops read what the value is before the write; False where views of it are all that they read."""
    if value in views and value not in through_views(written(write), views):
        with ir.InsertionPoint(value.owner), value.owner.location:
            value.owner.operands[0] = ttir.clone(views[value])
        return True
    uses = [use for use in value.uses if write.is_before_in_block(use.owner)]
    if not uses or not len(write.results):
        return False
    with ir.InsertionPoint(write), write.location:
        copy = _copy(value)
    for use in uses:
        use.owner.operation.operands[use.operand_number] = copy
    return True


def _copy(value: Any) -> ir.Value:
    """A value like this one in a buffer of its own; what is made from nothing is made again."""
    maker = value.owner
    return ttir.clone(value) if isinstance(maker, ir.Block) or len(maker.operands) else maker.clone().results[0]


def _drop_result(op: Any) -> None:
    target = written(op)
    if target is None or not len(op.results):
        return
    spec = definition(op)
    assert spec is not None
    op.results[0].replace_all_uses_with(target)
    with ir.InsertionPoint(op), op.location:
        create("ttir", spec.mnemonic, operands_by_place(spec, op), attribute_values(spec, op))
    op.erase()
