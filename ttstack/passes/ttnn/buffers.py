"""Which values share a buffer."""

from typing import Any

from ttstack.dialects.placed import VIEW
from ttstack.mlir import ir


def buffer_owners(ops: list[Any]) -> dict[ir.Value, ir.Value]:
    """For the result of each view, the value whose buffer it is; all others own theirs."""
    owners: dict[ir.Value, ir.Value] = {}
    for op in ops:
        if VIEW in op.attributes:
            source = op.operands[0]
            owners[op.results[0]] = owners.get(source, source)
    return owners
