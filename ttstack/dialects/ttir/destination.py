"""Ops that write to the buffer of an operand, their destination.

Such an op is in destination-passing style if it has a result: the updated operand, in the same buffer. The operand
itself is then the previous value.
"""

from collections.abc import Sequence

from ttstack.dialects.built_ops import insert_before
from ttstack.dialects.defining_op import defining_op
from ttstack.mlir import ir
from ttstack.ops.base import OPS

_PLACES = {f"ttir.{name}": list(s.operand_specs()).index(s.mutates[0]) for name, s in OPS.items() if s.mutates}

_WRITTEN = frozenset(_PLACES.values())


def destination_place(op: ir.Operation) -> int | None:
    """Return the position of the operand that the op writes to, before all optional ones; None without one."""
    return _PLACES.get(op.name)


def destination(op: ir.Operation) -> ir.Value | None:
    """Return the value whose buffer the op writes to, or None."""
    place = _PLACES.get(op.name)
    return None if place is None else op.operands[place]


def is_overwritten(value: ir.Value) -> bool:
    """Return True if some op writes to the value's buffer, so that the position of reads matters."""
    return any(
        use.operand_number in _WRITTEN and _PLACES.get(use.owner.name) == use.operand_number for use in value.uses
    )


def assigns(use: ir.OpOperand) -> bool:
    """Return True if an `assign` overwrites the used value completely."""
    return use.owner.name == "ttir.assign" and use.operand_number == 0


def pure_producer(value: ir.Value, *names: str) -> ir.Operation | None:
    """Return the op that produces a value; None for arguments, and if moving the op would need a copy.

    That is the case if a buffer that the op reads or produces is overwritten later. With `names`, only these ops are
    returned.
    """
    op = defining_op(value)
    if op is None or (names and op.name not in names) or any(is_overwritten(v) for v in (*op.operands, *op.results)):
        return None
    return op


def with_result(op: ir.Operation) -> ir.Operation:
    """Replace the op by its form in destination-passing style."""
    return _rebuild(op, [op.operands[_PLACES[op.name]].type])


def without_result(op: ir.Operation) -> ir.Operation:
    """Replace an op in destination-passing style by the form without result."""
    if len(op.results):
        op.results[0].replace_all_uses_with(op.operands[_PLACES[op.name]])
    return _rebuild(op, [])


def _rebuild(op: ir.Operation, results: Sequence[ir.Type]) -> ir.Operation:
    with insert_before(op):
        attributes = {name: op.attributes[name] for name in op.attributes}
        new = ir.Operation.create(op.name, results=results, operands=list(op.operands), attributes=attributes)
    op.erase()
    return new
