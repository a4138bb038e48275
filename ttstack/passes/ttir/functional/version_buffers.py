"""A value for each version of a buffer, as MLIR tensors are immutable values."""

from collections.abc import Sequence

from ttstack.buffers.aliasing import buffer_owners, through_aliases
from ttstack.dialects.ttir.build import reshape_to
from ttstack.dialects.ttir.destination import destination, with_result
from ttstack.dialects.types import read_type
from ttstack.mlir import ir
from ttstack.passes.base import Pass
from ttstack.passes.functions import body, functions
from ttstack.passes.stages import Stage
from ttstack.passes.ttir.queries.aliases import view_sources


class VersionBuffers(
    Pass,
    name="version-buffers",
    stage=Stage.LOOKUPS,
    before={"fold-lookup-reshapes": "patterns move reads only if buffers are values"},
):
    """Give ops that write to an operand a result for the new value, so that data flow shows the order.

    From here on, equal ops can be merged and patterns can move reads, as operands define the order. `insert-copies`
    later preserves old values that are read after they are overwritten.
    """

    def run(self, module: ir.Module) -> None:
        """Version the buffers of every function, unless its writes have results already."""
        for function in functions(module):
            _version(body(function))


def _version(ops: Sequence[ir.Operation]) -> None:
    writes = [(op, target) for op in ops if (target := destination(op)) is not None and not len(op.results)]
    if not writes:
        return
    views = view_sources(ops)
    owners = buffer_owners(views)
    current: dict[ir.Value, dict[ir.Value, ir.Value]] = {}
    for _, target in writes:
        shared = current.setdefault(owners.get(target, target), {})
        shared |= {value: value for value in through_aliases(target, views)}
    for op, target in writes:
        _read_anew(with_result(op), current[owners.get(target, target)])


def _read_anew(write: ir.Operation, current: dict[ir.Value, ir.Value]) -> None:
    """Replace uses of the buffer after the write, through any of its values, by the write's result."""
    late = {value: [use for use in now.uses if write.is_before_in_block(use.owner)] for value, now in current.items()}
    for value, uses in late.items():
        if not uses:
            continue
        with ir.InsertionPoint.after(write), write.location:
            current[value] = reshape_to(write.results[0], read_type(value.type).shape)
        for use in uses:
            use.owner.operation.operands[use.operand_number] = current[value]
