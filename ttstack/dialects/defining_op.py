"""The defining op of a value."""

from ttstack.mlir import ir


def defining_op(value: ir.Value, *names: str) -> ir.Operation | None:
    """Return the operation with this result; None for arguments, and for ops with other names."""
    owner = value.owner
    if isinstance(owner, ir.Block):
        return None
    return owner.operation if not names or owner.name in names else None
