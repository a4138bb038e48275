"""Groups of ops of one block: order, outside operands, and clones."""

from collections.abc import Iterable, Sequence
from functools import cmp_to_key

from ttstack.mlir import ir


def in_block_order(ops: Iterable[ir.Operation]) -> list[ir.Operation]:
    """Sort ops of one block by their position in it, each once."""
    return sorted(dict.fromkeys(ops), key=cmp_to_key(lambda a, b: -1 if a.is_before_in_block(b) else 1))


def outside_operands(ops: Sequence[ir.Operation]) -> list[ir.Value]:
    """List the values that the ops use but do not compute, each once."""
    results = {result for op in ops for result in op.results}
    return [v for v in dict.fromkeys(operand for op in ops for operand in op.operands) if v not in results]


def clone_on(op: ir.Operation, operands: Sequence[ir.Value]) -> ir.Operation:
    """Clone an op at the insertion point, with other operands."""
    clone = op.clone().operation
    for i, value in enumerate(operands):
        clone.operands[i] = value
    return clone


def clone_ops(ops: Iterable[ir.Operation], values: dict[ir.Value, ir.Value]) -> None:
    """Clone ops at the insertion point, in this order.

    Args:
        ops: The ops, producers before users.
        values: The replacement of each outside value; the clones' results are added.
    """
    for op in ops:
        clone = clone_on(op, [values[operand] for operand in op.operands])
        values.update(zip(op.results, clone.results, strict=True))
