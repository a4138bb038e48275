"""Give copies to views that are read after what they are views of was written to."""

from collections.abc import Sequence
from typing import Any

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


def _keep(ops: Sequence[Any]) -> None:
    chains = [(i, _through_views(value)) for i, op in enumerate(ops) for value in written(op)]
    if not chains:
        return
    until, buffers = _last_uses(ops), dict[ir.Value, ir.Value]()
    targets = {value for _, chain in chains for value in chain}
    for i, op in enumerate(ops):
        if not _is_view(op):
            continue
        source: ir.Value = op.operands[0]
        result: ir.Value = op.results[0]
        buffer = buffers.get(source, source)
        late = any(i < at <= until.get(result, i) and chain[-1] == buffer for at, chain in chains)
        if late and result not in targets:
            with ir.InsertionPoint(op), op.location:
                op.operands[0] = buffer = ttir.clone(source)
        buffers[result] = buffer


def _is_view(op: Any) -> bool:
    return op.name in VIEWS and is_view(describe(op))


def _through_views(value: Any) -> list[Any]:
    """The value, what it is a view of, and so on to what has a buffer of its own."""
    found = [value]
    while not isinstance(value.owner, ir.Block) and _is_view(value.owner):
        value = value.owner.operands[0]
        found.append(value)
    return found


def _last_uses(ops: Sequence[Any]) -> dict[ir.Value, int]:
    """Position of the last op that reads each value, itself or through views."""
    last: dict[ir.Value, int] = {}
    for i, op in reversed(list(enumerate(ops))):
        end = last.get(op.results[0], i) if _is_view(op) else i
        for value in op.operands:
            last[value] = max(last.get(value, end), end)
    return last
