"""Give copies to views that are read after what they are views of was written to."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ttstack.buffers.aliasing import buffer_owners
from ttstack.buffers.lifetimes import Step, last_reads
from ttstack.device.kernel_class import is_view
from ttstack.dialects.base import describe
from ttstack.dialects.ttir.builders import ttir
from ttstack.mlir import ir
from ttstack.passes.base import Pass
from ttstack.passes.functions import body, functions
from ttstack.passes.ttir.writes import VIEWS, written


class KeepOldValues(Pass, name="keep-old-values"):
    """A view whose buffer is written to while the view is in use becomes a view of a `ttir.clone`."""

    def run(self, module: ir.Module) -> None:
        """Look at every function."""
        for function in functions(module):
            _keep(body(function))


def _keep(ops: Sequence[ir.Operation]) -> None:
    writes = [(i, value) for i, op in enumerate(ops) for value in written(op)]
    if not writes:
        return
    views = [(i, op) for i, op in enumerate(ops) if op.name in VIEWS and is_view(describe(op))]
    aliases: dict[ir.Value, ir.Value] = {view.results[0]: view.operands[0] for _, view in views}
    owners = buffer_owners(aliases)
    until = last_reads([Step(op.operands, op.results) for op in ops], aliases)
    targets = {shared for _, value in writes for shared in _chain(value, aliases)}
    changed = [(at, owners.get(value, value)) for at, value in writes]
    for i, view in views:
        result: ir.Value = view.results[0]
        late = any(i < at <= until.get(result, i) and buffer == owners[result] for at, buffer in changed)
        if late and result not in targets:
            with ir.InsertionPoint(view), view.location:
                view.operands[0] = aliases[result] = ttir.clone(aliases[result])
            owners = buffer_owners(aliases)


def _chain(value: Any, aliases: Mapping[Any, Any]) -> Iterator[Any]:
    """The value, what it is a view of, and so on to what has a buffer of its own."""
    yield value
    while value in aliases:
        value = aliases[value]
        yield value
