"""Producers of values, for patterns."""

from ttstack.dialects.base import attribute_values
from ttstack.dialects.elements import read_elements
from ttstack.dialects.ttir.destination import pure_producer
from ttstack.dialects.types import read_type
from ttstack.mlir import ir
from ttstack.ops.base import OPS

MATMULS = ("ttir.matmul", "ttir.linear")
"""Matmuls without and with bias."""


def find_producer(value: ir.Value | None, *mnemonics: str) -> ir.Operation | None:
    """Return the producer of a value if it has one of these mnemonics; otherwise None."""
    return None if value is None else pure_producer(value, *[f"ttir.{m}" for m in mnemonics])


def is_shared(value: ir.Value) -> bool:
    """Return True if the value has more than one use."""
    return len(list(value.uses)) > 1


def scalar(value: ir.Value) -> float | None:
    """Return the number in all elements of a constant, or None."""
    if (full := find_producer(value, "full")) is not None:
        return float(attribute_values(OPS["full"], full)["fill_value"])
    if (constant := find_producer(value, "constant")) is None:
        return None
    values = read_elements(constant.attributes["value"])
    return float(values.flat[0]) if values.size and (values == values.flat[0]).all() else None


def with_scalar(op: ir.Operation) -> tuple[ir.Value, float] | None:
    """Return the other operand and the number of a binary op with a constant number; otherwise None."""
    a, b = op.operands
    for value, number in ((a, scalar(b)), (b, scalar(a))):
        if number is not None:
            return value, number
    return None


def factor(value: ir.Value) -> tuple[ir.Value, float] | None:
    """Return `x` and `c` of a value `x * c`, with `x` of the same type; None for any other value."""
    scaled = None
    if (op := find_producer(value, "multiply")) is not None:
        scaled = with_scalar(op)
    elif (op := find_producer(value, "div")) is not None and (divisor := scalar(op.operands[1])):
        scaled = op.operands[0], 1 / divisor
    return scaled if scaled and read_type(scaled[0].type) == read_type(value.type) else None


def concat_dim(concat: ir.Operation) -> int:
    """Return the dimension of a concat, counted from the front."""
    return attribute_values(OPS["concat"], concat)["dim"] % read_type(concat.results[0].type).rank


def negation(value: ir.Value) -> ir.Value | None:
    """Return the tensor whose negation is the value; None if it is not computed as one."""
    if (op := find_producer(value, "neg")) is not None:
        return op.operands[0]
    scaled = find_producer(value, "multiply")
    operand = scaled and with_scalar(scaled)
    return operand[0] if operand and operand[1] == -1 else None
