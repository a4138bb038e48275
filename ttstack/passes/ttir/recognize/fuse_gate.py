"""Recognition of the new state of a gated recurrent unit, decomposed to a weighted sum."""

from ttstack.mlir import ir
from ttstack.passes.rewriting.python_file import with_roots
from ttstack.patterns import pattern, read_type, scalar, ttir, views


@pattern
def gated_state(op: views.Add) -> ir.Value | None:
    """Rewrite `(1 - z) * a + z * b` to `a + z * (b - a)`, if `z` is a sigmoid and `a` or `b` is a tanh.

    Such states are between -1 and 1, so their differences are as exact as their products.
    """
    for kept, added in op.either_order:
        if (first := views.Multiply.of(kept)) is None or (second := views.Multiply.of(added)) is None:
            continue
        for rest, a in first.either_order:
            z = _counterpart(rest)
            for gate, b in second.either_order:
                if z is not None and z == gate and _are_states(z, a, b):
                    return ttir.add(a, ttir.multiply(z, ttir.subtract(b, a)))
    return None


def _counterpart(rest: ir.Value) -> ir.Value | None:
    """Return `z` of a value `1 - z`."""
    difference = views.Subtract.of(rest)
    return difference.rhs if difference and scalar(difference.lhs) == 1 else None


def _are_states(gate: ir.Value, a: ir.Value, b: ir.Value) -> bool:
    alike = read_type(gate.type) == read_type(a.type) == read_type(b.type)
    return alike and bool(views.Sigmoid.of(gate)) and bool(views.Tanh.of(a) or views.Tanh.of(b))


PATTERNS = with_roots(gated_state)
