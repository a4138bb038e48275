"""Where a block of code builds ops, and a record of those that it builds."""

import threading
from collections.abc import Collection, Generator, Sequence
from contextlib import contextmanager

from ttstack.mlir import ir

_RECORDS = threading.local()


@contextmanager
def insert_before(op: ir.Operation | ir.OpView) -> Generator[None]:
    """Build ops before another, with its location."""
    with ir.InsertionPoint(op), op.location:
        yield


@contextmanager
def record_ops() -> Generator[list[ir.Operation]]:
    """Give the ops that are built inside the block, in order; a block inside it keeps its ops to itself."""
    outer, built = getattr(_RECORDS, "built", None), list[ir.Operation]()
    _RECORDS.built = built
    try:
        yield built
    finally:
        _RECORDS.built = outer


def record(op: ir.Operation) -> ir.Operation:
    """Record an op that was just built, and return it."""
    if (ops := getattr(_RECORDS, "built", None)) is not None:
        ops.append(op)
    return op


def erase_leftovers(ops: Sequence[ir.Operation], *, but: Collection[ir.Value] = ()) -> None:
    """Erase those of the recorded ops that have no uses, the last first; ops of the values in `but` stay."""
    for op in reversed(ops):
        if not any(result in but or list(result.uses) for result in op.results):
            op.erase()
