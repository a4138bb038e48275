"""Ops that write to the buffer of an operand, their destination.

Such an op is in destination-passing style where it has a result: that is the operand as it is afterwards, in the
same buffer. The operand itself then stands for what was there before.
"""

from collections.abc import Sequence

from ttstack.dialects.built_ops import insert_before
from ttstack.dialects.defining_op import defining_op
from ttstack.mlir import ir
from ttstack.ops.base import OPS

_PLACES = {f"ttir.{name}": list(s.operand_specs()).index(s.mutates[0]) for name, s in OPS.items() if s.mutates}

_WRITTEN = frozenset(_PLACES.values())


def destination_place(op: ir.Operation) -> int | None:
    """The position of the operand that the op writes to, which stands before all that can lack; None without one."""
    return _PLACES.get(op.name)


def destination(op: ir.Operation) -> ir.Value | None:
    """The value whose buffer the op writes to; None where it writes to none."""
    place = _PLACES.get(op.name)
    return None if place is None else op.operands[place]


def is_overwritten(value: ir.Value) -> bool:
    """Whether some op writes to the value's buffer: where it is read decides what is there, or what it costs."""
    return any(
        use.operand_number in _WRITTEN and _PLACES.get(use.owner.name) == use.operand_number for use in value.uses
    )


def assigns(use: ir.OpOperand) -> bool:
    """Whether an `assign` writes all of what is used."""
    return use.owner.name == "ttir.assign" and use.operand_number == 0


def pure_producer(value: ir.Value, *names: str) -> ir.Operation | None:
    """The op that made the value; None where it is an argument, or where doing its work later would take a copy.

    That is where the op reads or makes what is overwritten afterwards. With `names`, it is one of these.
    """
    op = defining_op(value)
    if op is None or (names and op.name not in names) or any(is_overwritten(v) for v in (*op.operands, *op.results)):
        return None
    return op


def with_result(op: ir.Operation) -> ir.Operation:
    """The op in destination-passing style, which takes its place."""
    return _rebuild(op, [op.operands[_PLACES[op.name]].type])


def without_result(op: ir.Operation) -> ir.Operation:
    """The op that changes its operand, which takes the place of that in destination-passing style."""
    if len(op.results):
        op.results[0].replace_all_uses_with(op.operands[_PLACES[op.name]])
    return _rebuild(op, [])


def _rebuild(op: ir.Operation, results: Sequence[ir.Type]) -> ir.Operation:
    with insert_before(op):
        attributes = {name: op.attributes[name] for name in op.attributes}
        new = ir.Operation.create(op.name, results=results, operands=list(op.operands), attributes=attributes)
    op.erase()
    return new
