"""What one value alone is made of, up to where other ops read it too, and the same in a program of its own."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from ttstack.dialects.defining_op import defining_op
from ttstack.mlir import ir


def cone(last: ir.Operation, before: Sequence[ir.Operation], allowed: Callable[[ir.Operation], bool]) -> list[ir.Value]:
    """The results of those ops `before` the last that are allowed and nothing but it needs, the latest first."""
    ops, found = {last}, list[ir.Value]()
    for op in reversed(before):
        readers = {use.owner.operation for result in op.results for use in result.uses}
        if readers and readers <= ops and allowed(op):
            ops.add(op)
            found += op.results
    return found


def leaves(last: ir.Operation, inside: Collection[ir.Value]) -> list[ir.Value]:
    """What an op and all that gives these values take from outside."""
    ops = [last, *(op for value in inside if (op := defining_op(value)) is not None)]
    taken = dict.fromkeys(operand for op in ops for operand in op.operands)
    return [value for value in taken if value not in inside]


@dataclass(frozen=True, eq=False)
class StandIns:
    """What stands for values where ops are built: themselves, in the program that they are of."""

    inside: Collection[ir.Value]
    """Values that nothing else needs: what they are made of can be made otherwise."""

    def __call__(self, value: ir.Value) -> ir.Value:
        """The value that stands for this one."""
        return value

    def makes(self, value: ir.Value) -> bool:
        """Whether nothing but what is built needs it."""
        return value in self.inside


@dataclass(frozen=True, eq=False)
class Copies(StandIns):
    """Values in another program: those that are there already, and copies of ops that make others of them."""

    there: dict[ir.Value, ir.Value]

    def __call__(self, value: ir.Value) -> ir.Value:
        """The copy of the value, made where it is not there yet."""
        if value not in self.there:
            op = defining_op(value)
            assert op is not None
            operands = [self(operand) for operand in op.operands]
            copy = op.clone().operation
            for at, operand in enumerate(operands):
                copy.operands[at] = operand
            self.there.update(zip(op.results, copy.results, strict=True))
        return self.there[value]
