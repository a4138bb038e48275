"""What gives a value."""

from ttstack.mlir import ir


def defining_op(value: ir.Value, *names: str) -> ir.Operation | None:
    """The operation that the value is a result of; None where it is an argument, or of an op of none of the names."""
    owner = value.owner
    if isinstance(owner, ir.Block):
        return None
    return owner.operation if not names or owner.name in names else None
