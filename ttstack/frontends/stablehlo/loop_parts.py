"""Parts of `stablehlo.while`: which values change, what it takes from outside, and how often it runs."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from ttstack.dialects.defining_op import defining_op
from ttstack.dialects.op_groups import clone_ops
from ttstack.frontends.limits import UNROLLED_OPS
from ttstack.frontends.stablehlo.fold import Known, truth
from ttstack.mlir import func, ir

_LESS = ("LT", "LE")

Value: TypeAlias = "Known | ir.Value | tuple[Value, ...]"
"""What a value of the source is in the new function."""


@dataclass(frozen=True)
class LoopParts:
    """A loop, and which of its values change from iteration to iteration."""

    op: ir.Operation

    @property
    def condition(self) -> ir.Block:
        """The block that decides whether the loop goes on."""
        return self.op.regions[0].blocks[0]

    @property
    def body(self) -> ir.Block:
        """The block of an iteration."""
        return self.op.regions[1].blocks[0]

    @property
    def varying(self) -> tuple[int, ...]:
        """The positions of values that an iteration changes; it returns all others as it got them."""
        returned = [op.operation for op in self.body.operations][-1].operands
        return tuple(i for i, value in enumerate(returned) if value != self.body.arguments[i])

    @property
    def ops(self) -> int:
        """The number of ops of an iteration, at any depth."""
        found = 0

        def visit(_: ir.Operation) -> ir.WalkResult:
            nonlocal found
            found += 1
            return ir.WalkResult.ADVANCE

        for region in self.op.regions:
            for inner in region.blocks[0].operations:
                inner.operation.walk(visit)
        return found

    def outside_values(self) -> list[ir.Value]:
        """Return the values from outside that the blocks read, in the order of their first use."""
        inside: set[ir.Value] = set()
        read: dict[ir.Value, None] = {}

        def visit(nested: ir.Operation) -> ir.WalkResult:
            inside.update(nested.results)
            for region in nested.regions:
                inside.update(a for block in region.blocks for a in block.arguments)
            if nested != self.op:
                read.update(dict.fromkeys(nested.operands))
            return ir.WalkResult.ADVANCE

        self.op.walk(visit, ir.WalkOrder.PRE_ORDER)
        return [value for value in read if value not in inside]


def inline_index_calls(loop: LoopParts, callees: Mapping[str, func.FuncOp]) -> None:
    """Inline calls of functions whose ops have no regions into the body, such as JAX's `dynamic_index_in_dim`."""
    waiting = [op.operation for op in loop.body.operations if op.operation.name == "func.call"]
    while waiting:
        call = waiting.pop()
        callee = callees.get(ir.FlatSymbolRefAttr(call.attributes["callee"]).value)
        if callee is None or any(list(op.operation.regions) for op in callee.regions[0].blocks[0].operations):
            continue
        block = callee.regions[0].blocks[0]
        *ops, last = (op.operation for op in block.operations)
        values: dict[ir.Value, ir.Value] = dict(zip(block.arguments, call.operands, strict=True))
        with ir.InsertionPoint(call):
            clone_ops(ops, values)
        waiting += [o for op in ops for v in op.results if (o := defining_op(values[v], "func.call")) is not None]
        for result, returned in zip(call.results, last.operands, strict=True):
            result.replace_all_uses_with(values[returned])
        call.erase()


@dataclass(frozen=True)
class Count:
    """How a loop of known length counts."""

    iterations: int
    position: int
    """The position of the counter among the carried values."""
    from_zero: bool
    """True if the counter is the number of the iteration: it starts at 0, and grows by 1."""


def loop_count(loop: LoopParts, carried: Sequence[Value]) -> Count | None:
    """Return how a loop counts up to a constant; None of any other loop.

    Its condition is `counter < limit` or `counter <= limit`, an iteration adds a constant to the counter, and start,
    limit and step are known integers.

    Args:
        loop: The loop.
        carried: The values before the first iteration.
    """
    *_, last = (op.operation for op in loop.condition.operations)
    compare = defining_op(last.operands[0])
    if compare is None or compare.name != "stablehlo.compare":
        return None
    direction = str(compare.attributes["comparison_direction"]).rstrip(">").split()[-1]
    counter, limit = compare.operands
    position = next((i for i, a in enumerate(loop.condition.arguments) if a == counter), None)
    if position is None or direction not in _LESS or position not in loop.varying:
        return None
    if not isinstance(ir.RankedTensorType(counter.type).element_type, ir.IntegerType):
        return None
    start, step = carried[position], _step(loop, position, carried)
    most = known_number(limit, loop, loop.condition, carried)
    if not isinstance(start, Known) or most is None or step is None or step <= 0:
        return None
    first = truth(start)
    iterations = max(0, math.ceil((most + (direction == "LE") - first) / step))
    return Count(iterations, position, (first, step) == (0, 1))


def _step(loop: LoopParts, position: int, carried: Sequence[Value]) -> int | None:
    """Return what an iteration adds to a counter."""
    *_, last = (op.operation for op in loop.body.operations)
    add = defining_op(last.operands[position])
    if add is None or add.name != "stablehlo.add":
        return None
    counter = loop.body.arguments[position]
    others = [v for v in add.operands if v != counter]
    return known_number(others[0], loop, loop.body, carried) if len(others) == 1 else None


def known_number(value: ir.Value, loop: LoopParts, block: ir.Block, carried: Sequence[Value]) -> int | None:
    """Return an integer that is a constant, or a known value that no iteration changes."""
    made_by = defining_op(value)
    if made_by is not None:
        return truth(Known(made_by.attributes["value"])) if made_by.name == "stablehlo.constant" else None
    position = next((i for i, a in enumerate(block.arguments) if a == value), None)
    if position is None or position in loop.varying:
        return None
    known = carried[position]
    return truth(known) if isinstance(known, Known) else None


def is_short(loop: LoopParts, count: int) -> bool:
    """Return True if a loop of so many iterations is written out: fusion over iterations then saves time."""
    return count * loop.ops <= UNROLLED_OPS
