"""Recognition of lookups: one-hot matmuls, and gathers of whole rows."""

import numpy as np

from ttstack.dialects.base import definition_of
from ttstack.dialects.elements import read_elements
from ttstack.dialects.ttir.build import reshape_to
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.ttir.destination import pure_producer
from ttstack.dialects.types import read_type
from ttstack.mlir import ir
from ttstack.ops.indexing import Gather
from ttstack.ops.matmul import Matmul
from ttstack.passes.base import Pass
from ttstack.passes.rewriting.pattern import apply_patterns


class RecognizeLookups(Pass, name="recognize-lookups"):
    """Rewrite matmuls with one-hot rows and gathers of whole rows to `embedding`.

    An index out of range, whose one-hot row is zero, becomes an error.
    """

    def run(self, module: ir.Module) -> None:
        """Rewrite to a fixpoint."""
        apply_patterns(module, [("ttir.matmul", _one_hot), ("ttir.gather", _row_gather)])


def _one_hot(op: ir.Operation) -> list[ir.Value] | None:
    """Match `(index == 0, 1, ..., rows - 1) @ table`."""
    product, table = definition_of(op), op.operands[1]
    assert isinstance(product, Matmul)
    if product.transpose_a or product.transpose_b or product.activation or product.b.rank != 2:
        return None
    test = _producer_through(op.operands[0], "ttir.typecast")
    if test is None or test.name != "ttir.eq":
        return None
    rows, shape = product.b.shape[0], read_type(test.results[0].type).shape
    for index, classes in (test.operands, reversed(test.operands)):
        t = read_type(index.type)
        if _counts(classes, rows) and t.shape == (*shape[:-1], 1) and not t.dtype.is_float:
            gathered = ttir.embedding(reshape_to(index, t.shape[:-1]), table)
            return [reshape_to(gathered, product.results[0].shape)]
    return None


def _row_gather(op: ir.Operation) -> list[ir.Value] | None:
    """Match a gather along rows whose indices are equal in all columns."""
    gather = definition_of(op)
    assert isinstance(gather, Gather)
    rank, (table, index) = gather.input.rank, op.operands
    spread = pure_producer(index)
    if rank != 2 or gather.dim % rank != 0 or gather.index.shape[1] != gather.input.shape[1]:
        return None
    if spread is None or spread.name not in ("ttir.broadcast", "ttir.repeat"):
        return None
    column = spread.operands[0]
    if read_type(column.type).shape != (gather.index.shape[0], 1):
        return None
    return [ttir.embedding(reshape_to(column, gather.index.shape[:1]), table)]


def _producer_through(value: ir.Value, through: str) -> ir.Operation | None:
    """Return the producer of a value, through ops of one name."""
    op = pure_producer(value)
    while op is not None and op.name == through:
        op = pure_producer(op.operands[0])
    return op


def _counts(value: ir.Value, rows: int) -> bool:
    """Return True if the value is 0, 1, ..., rows - 1 along its last dimension, and the others have extent 1."""
    owner, shape = _producer_through(value, "ttir.reshape"), read_type(value.type).shape
    if owner is None or shape != (*(1,) * (len(shape) - 1), rows):
        return False
    match owner.name:
        case "ttir.constant":
            return bool(np.array_equal(read_elements(owner.attributes["value"]).reshape(-1), np.arange(rows)))
        case "ttir.arange":
            counts = definition_of(owner).attributes()
            return (counts["start"], counts["end"], counts["step"]) == (0, rows, 1)
    return False
