"""Sigmoid and SiLU that a model spells as elementwise ops."""

from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.types import read_type
from ttstack.mlir import ir
from ttstack.passes.ttir.producers import find_producer, scalar, with_scalar


def sigmoid(op: ir.Operation) -> list[ir.Value] | None:
    """`1 / (1 + exp(-x))`."""
    inverse = op.name == "ttir.reciprocal" or scalar(op.operands[0]) == 1
    return _as(op, "sigmoid", _exponent(list(op.operands)[-1]) if inverse else None)


def silu(op: ir.Operation) -> list[ir.Value] | None:
    """`x * sigmoid(x)`."""
    for x, factor in (op.operands, reversed(op.operands)):
        if (part := find_producer(factor, "sigmoid")) is not None and part.operands[0] == x:
            return _as(op, "silu", x)
    return None


def fuse_division(op: ir.Operation) -> list[ir.Value] | None:
    """`x / (1 + exp(-x))`."""
    x, total = op.operands
    found = _exponent(total)
    return _as(op, "silu", x) if found is not None and found == x else None


def _as(op: ir.Operation, mnemonic: str, x: ir.Value | None) -> list[ir.Value] | None:
    whole = x is not None and read_type(x.type) == read_type(op.results[0].type)
    return [ttir.build(mnemonic, x)] if whole else None


def _exponent(value: ir.Value) -> ir.Value | None:
    """`x`, of which the value is `1 + exp(-x)`."""
    total = find_producer(value, "add")
    if total is None or (found := with_scalar(total)) is None or found[1] != 1:
        return None
    power = find_producer(found[0], "exp")
    negative = power and find_producer(power.operands[0], "neg")
    return negative and negative.operands[0]


PATTERNS = (
    ("ttir.div", sigmoid),
    ("ttir.reciprocal", sigmoid),
    ("ttir.multiply", silu),
    ("ttir.div", fuse_division),
)
