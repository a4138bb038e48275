"""The row of which all rows of a matrix are copies, as those of a mask that hides keys from all queries alike."""

import numpy as np

from ttstack.dialects.base import create, describe
from ttstack.dialects.elements import elements_attribute
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.ttir.destination import producer
from ttstack.dialects.types import read_type
from ttstack.mlir import ir
from ttstack.ops.eltwise import Eltwise
from ttstack.passes.ttir.compile_time import constant_elements
from ttstack.passes.ttir.producers import find_producer


def one_row(value: ir.Value) -> ir.Value | None:
    """[..., 1, width] that is broadcast to the value; None where nothing shows that its rows are equal.

    Elementwise ops on the way to it are made anew at the insertion point, of one row.
    """
    t = read_type(value.type)
    if t.rank < len("rw") or t.shape[-2] == 1:
        return value
    if (known := constant_elements(value)) is not None:
        row = known[..., :1, :]
        of_row = t.with_shape(row.shape)
        return ttir.constant(result=of_row, value=elements_attribute(row, of_row)) if (known == row).all() else None
    if (broadcast := find_producer(value, "broadcast")) is not None:
        return one_row(broadcast.operands[0])
    op = producer(value)
    found = None if op is None or not op.name.startswith("ttir.") else describe(op)
    if op is None or not isinstance(found, Eltwise):
        return None
    rows = [row for operand in op.operands if (row := one_row(operand)) is not None]
    if len(rows) < len(op.operands):
        return None
    shape = np.broadcast_shapes(*(read_type(row.type).shape for row in rows))
    return create("ttir", found.mnemonic, rows, found.attributes(), results=[t.with_shape(shape)]).results[0]
