"""Bounds that make an activation of its own."""

from ttstack.mlir import ir
from ttstack.passes.user_patterns.python_file import with_roots
from ttstack.patterns import pattern, ttir, views

_RELU6 = (0, 6)


@pattern
def relu6(op: views.ClampScalar) -> ir.Value | None:
    """Between 0 and 6, of real numbers: products and convolutions can end in it."""
    return ttir.relu6(op.input) if (op.min, op.max) == _RELU6 and op.result_type.dtype.is_float else None


PATTERNS = with_roots(relu6)
