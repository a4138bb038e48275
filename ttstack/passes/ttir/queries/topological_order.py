"""Topological order of ops."""

from collections.abc import Iterator, Sequence

from ttstack.dialects.defining_op import defining_op
from ttstack.mlir import ir


def makers(op: ir.Operation) -> list[ir.Operation]:
    """Return the producers of an op's operands."""
    return [maker for value in op.operands if (maker := defining_op(value)) is not None]


def in_order(ops: Sequence[ir.Operation]) -> Iterator[ir.Operation]:
    """Sort ops of one block topologically, as close to the given order as possible."""
    placed = set[ir.Operation]()
    for op in ops:
        pending = [op]
        while pending:
            missing = [maker for maker in makers(pending[-1]) if maker not in placed]
            pending += reversed(missing)
            if not missing and (now := pending.pop()) not in placed:
                placed.add(now)
                yield now
