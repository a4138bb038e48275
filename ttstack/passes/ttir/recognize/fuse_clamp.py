"""Recognition of clamps that are activations."""

from ttstack.mlir import ir
from ttstack.passes.rewriting.python_file import with_roots
from ttstack.patterns import pattern, read_type, scalar, ttir, views

_RELU6 = (0, 6)


@pattern
def relu6(op: views.ClampScalar) -> ir.Value | None:
    """Rewrite a clamp of real numbers between 0 and 6 to `relu6`, which matmuls and convolutions can fuse."""
    return ttir.relu6(op.input) if (op.min, op.max) == _RELU6 and op.result_type.dtype.is_float else None


@pattern
def relu(op: views.Maximum) -> ir.Value | None:
    """Rewrite the maximum of real numbers and 0 to `relu`."""
    for x, bound in op.either_order:
        if scalar(bound) == 0 and read_type(x.type) == op.result_type and op.result_type.dtype.is_float:
            return ttir.relu(x)
    return None


@pattern
def bounded_relu(op: views.Minimum) -> ir.Value | None:
    """Rewrite the minimum of a `relu` and 6 to `relu6`."""
    for x, bound in op.either_order:
        if scalar(bound) == _RELU6[1] and (rectified := views.Relu.of(x)) and read_type(x.type) == op.result_type:
            return ttir.relu6(rectified.input)
    return None


PATTERNS = with_roots(relu6, relu, bounded_relu)
