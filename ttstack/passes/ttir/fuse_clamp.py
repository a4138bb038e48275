"""Bounds that make an activation of its own."""

from ttstack.dialects.base import describe
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.types import read_type
from ttstack.mlir import ir
from ttstack.ops.eltwise import ClampScalar

_RELU6 = (0, 6)


def relu6(op: ir.Operation) -> list[ir.Value] | None:
    """Between 0 and 6, of real numbers: products and convolutions can end in it."""
    found = describe(op)
    assert isinstance(found, ClampScalar)
    bounded = (found.min, found.max) == _RELU6 and read_type(op.results[0].type).dtype.is_float
    return [ttir.relu6(op.operands[0])] if bounded else None


PATTERNS = (("ttir.clamp_scalar", relu6),)
