"""The insertion point of new ops, and a record of them."""

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
    """Yield a list of the ops that are built inside the block, in order; nested blocks keep their own lists."""
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
    """Erase recorded ops without uses, last first, except ops of the values in `but`."""
    for op in reversed(ops):
        if not any(result in but or list(result.uses) for result in op.results):
            op.erase()
