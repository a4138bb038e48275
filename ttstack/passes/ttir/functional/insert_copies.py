"""Copies of values that are used after their buffer is overwritten; buffers are mutable again afterwards."""

from collections.abc import Mapping, Sequence

from ttstack.buffers.aliasing import buffer_owners, through_aliases
from ttstack.buffers.lifetimes import BufferAccesses, last_reads
from ttstack.dialects.built_ops import insert_before
from ttstack.dialects.defining_op import defining_op
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.ttir.destination import destination, destination_place, is_overwritten, without_result
from ttstack.mlir import ir
from ttstack.passes.base import Pass
from ttstack.passes.functions import body, functions
from ttstack.passes.stages import Stage
from ttstack.passes.ttir.queries.aliases import view_sources


class InsertCopies(
    Pass,
    name="insert-copies",
    stage=Stage.SCHEDULE,
    after={"hoist-assigns": "which values are overwritten while in use depends on the order of ops"},
):
    """Copy a value whose buffer is overwritten while the value is still used.

    The copy is a `ttir.clone`, or a view of one. A constant that is written to is copied too, as the next run needs it.
    Ops that write to an operand lose their result, which is that operand; from here on, the order of ops matters.
    """

    def run(self, module: ir.Module) -> None:
        """Look at every function."""
        for function in functions(module):
            _keep_constants(body(function))
            while _insert_copies(body(function)):
                pass
            for op in body(function):
                if destination(op) is not None:
                    without_result(op)


def _keep_constants(ops: Sequence[ir.Operation]) -> None:
    """Copy constants that are written to, so that they are the same in every run."""
    owners = buffer_owners(view_sources(ops))
    for op in ops:
        place, target = destination_place(op), destination(op)
        if place is not None and target is not None and _is_constant(owners.get(target, target)):
            with insert_before(op):
                op.operands[place] = ttir.clone(target)


def _is_constant(value: ir.Value) -> bool:
    return defining_op(value, "ttir.constant") is not None


def _insert_copies(ops: Sequence[ir.Operation]) -> bool:
    """Insert one copy for each buffer that needs some; return False if none does."""
    writes = [(index, op, target) for index, op in enumerate(ops) if (target := destination(op)) is not None]
    if not writes:
        return False
    views = view_sources(ops)
    owners = buffer_owners({**views, **{op.results[0]: target for _, op, target in writes if len(op.results)}})
    until = last_reads([BufferAccesses(op.operands, op.results) for op in ops], views)
    defined_at: dict[ir.Value, int] = {result: index for index, op in enumerate(ops) for result in op.results}
    changing = {owners.get(target, target) for _, _, target in writes}
    old = [v for v in sorted(until, key=lambda v: defined_at.get(v, -1)) if owners.get(v, v) in changing]
    copied = set[ir.Value]()
    for index, op, target in writes:
        buffer = owners.get(target, target)
        late = (v for v in old if owners.get(v, v) == buffer and defined_at.get(v, -1) < index < until[v])
        if buffer not in copied and any(_keep(value, op, through_aliases(target, views), views) for value in late):
            copied.add(buffer)
    return bool(copied)


def _keep(
    value: ir.Value, write: ir.Operation, targets: Sequence[ir.Value], views: Mapping[ir.Value, ir.Value]
) -> bool:
    """Let later ops read the value from before the write to `targets`; return False if they read only views of it."""
    if value in views and value not in targets:
        view = ir.OpResult(value).owner.operation
        view.operands[0] = _copy(views[value], view)
        return True
    uses = [use for use in value.uses if write.is_before_in_block(use.owner)]
    if not uses or not len(write.results):
        return False
    copy = _copy(value, write)
    for use in uses:
        use.owner.operation.operands[use.operand_number] = copy
    return True


def _copy(value: ir.Value, before: ir.Operation) -> ir.Value:
    """Return a copy of the value made before an op; results of ops without operands are recomputed."""
    clones = (use.owner.operation for use in value.uses if use.owner.name == "ttir.clone")
    for clone in clones:
        if not is_overwritten(clone.results[0]):
            if not clone.is_before_in_block(before):
                clone.move_before(before)
            return clone.results[0]
    maker = defining_op(value)
    with insert_before(before):
        return ttir.clone(value) if maker is None or len(maker.operands) else maker.clone().results[0]
