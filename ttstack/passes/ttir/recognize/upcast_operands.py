"""bf16 values that a model widens before attention, which widens them itself."""

from ttstack.dialects.types import read_type
from ttstack.mlir import ir
from ttstack.ops.types import DType, ElementType
from ttstack.passes.ttir.queries.movement_chain import before_moves, move_alike
from ttstack.passes.ttir.queries.producers import find_producer


def lies_in(value: ir.Value, dtype: ElementType) -> bool:
    """Return True if a value has that element type, or is cast from it if it is bf16."""
    return read_type(value.type).dtype == dtype or _before(value, dtype) is not None


def narrow(value: ir.Value, dtype: ElementType) -> ir.Value:
    """Return the value in that element type, before its cast."""
    if read_type(value.type).dtype == dtype or (source := _before(value, dtype)) is None:
        return value
    return move_alike(source, before_moves(value)[1])


def _before(value: ir.Value, dtype: ElementType) -> ir.Value | None:
    cast = find_producer(before_moves(value)[0], "typecast")
    fits = dtype is DType.BF16 and cast is not None and read_type(cast.operands[0].type).dtype == dtype
    return cast.operands[0] if cast is not None and fits else None
