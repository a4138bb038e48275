"""Loops that stay loops: their condition and body as functions that a `ttir.while` runs."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

from ttstack.dialects.built_ops import insert_before
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.types import read_type
from ttstack.dialects.signature import IN_LOOP, ArgumentSignature, write_signature
from ttstack.frontends.limits import UNROLLED_OPS
from ttstack.frontends.stablehlo.external_constants import ExternalConstants
from ttstack.frontends.stablehlo.fold import Known, truth
from ttstack.mlir import func, ir
from ttstack.program.records import TensorKind

_LESS = ("LT", "LE")

Value: TypeAlias = "Known | ir.Value | tuple[Value, ...]"
"""What a value of the source is in the new function."""


class Writer(Protocol):
    """What writes the ops of the function that has the loop."""

    values: dict[ir.Value, Value]
    function: func.FuncOp
    parameters: dict[ir.Value, str]
    weights: ExternalConstants

    def write(self, value: Value) -> ir.Value:
        """Return the value in the function."""
        ...

    def fill(
        self,
        block: ir.Block,
        old: ir.Block,
        arguments: Sequence[Value],
        values: Mapping[ir.Value, Value],
        returned: Sequence[int],
    ) -> None:
        """Write an old block into the block of another function, which returns the results at these positions.

        Values from outside are `values` there.
        """
        ...


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

    def captured(self) -> list[ir.Value]:
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


def trip_count(loop: LoopParts, carried: Sequence[Value]) -> int | None:
    """Return the number of iterations of a loop that counts up to a constant; None of any other.

    Its condition is `counter < limit` or `counter <= limit`, an iteration adds a constant to the counter, and start,
    limit and step are known numbers.

    Args:
        loop: The loop.
        carried: What is known about the values before the first iteration: `Known`, or anything else.
    """
    *_, last = (op.operation for op in loop.condition.operations)
    compare = last.operands[0].owner
    if not isinstance(compare, ir.Operation) or compare.name != "stablehlo.compare":
        return None
    direction = str(compare.attributes["comparison_direction"]).rstrip(">").split()[-1]
    counter, limit = compare.operands
    position = next((i for i, a in enumerate(loop.condition.arguments) if a == counter), None)
    if position is None or direction not in _LESS or position not in loop.varying:
        return None
    start = carried[position]
    most, step = _number(limit, loop, loop.condition, carried), _step(loop, position, carried)
    if not isinstance(ir.RankedTensorType(counter.type).element_type, ir.IntegerType):
        return None
    if not isinstance(start, Known) or most is None or step is None or step <= 0:
        return None
    end = most + (direction == "LE")
    return max(0, math.ceil((end - truth(start)) / step))


def _step(loop: LoopParts, position: int, carried: Sequence[Value]) -> int | None:
    """Return what an iteration adds to a counter."""
    *_, last = (op.operation for op in loop.body.operations)
    add = last.operands[position].owner
    if not isinstance(add, ir.Operation) or add.name != "stablehlo.add":
        return None
    counter = loop.body.arguments[position]
    others = [v for v in add.operands if v != counter]
    return _number(others[0], loop, loop.body, carried) if len(others) == 1 else None


def _number(value: ir.Value, loop: LoopParts, block: ir.Block, carried: Sequence[Value]) -> int | None:
    """Return an integer that is a constant, or a known value that no iteration changes."""
    owner = value.owner
    if isinstance(owner, ir.Operation):
        return truth(Known(owner.attributes["value"])) if owner.name == "stablehlo.constant" else None
    position = next((i for i, a in enumerate(block.arguments) if a == value), None)
    if position is None or position in loop.varying:
        return None
    known = carried[position]
    return truth(known) if isinstance(known, Known) else None


def is_short(loop: LoopParts, count: int) -> bool:
    """Return True if a loop of so many iterations is written out: fusion over iterations then saves time."""
    return count * loop.ops <= UNROLLED_OPS


def write_loop(writer: Writer, loop: LoopParts, carried: Sequence[Value], count: int | None) -> list[Value]:
    """Write a `ttir.while` and its functions; return the values after the loop.

    What no iteration changes is not carried: constants are written in the functions, and parameters become parameters
    of these, by name.

    Args:
        writer: Writes the function that has the loop.
        loop: The loop.
        carried: The values before the first iteration.
        count: The number of iterations, or None if the condition decides.
    """
    varying = loop.varying
    fixed = [value for i, value in enumerate(carried) if i not in varying]
    read = {v: writer.values[v] for v in loop.captured()}
    outside = list(dict.fromkeys(v for value in (*read.values(), *fixed) for v in _plain(value)))
    given = [v for v in outside if _weight(writer, v) is None]
    inputs = [writer.write(carried[i]) for i in varying] + given
    name = f"{writer.function.name.value}.while_{len(list(_names(writer.function)))}"
    blocks = {"body": loop.body} if count is not None else {"condition": loop.condition, "body": loop.body}
    for role, block in blocks.items():
        _write_function(writer, f"{name}.{role}", loop, block, carried, read, inputs, outside)
    attributes: dict[str, Any] = {role: f"{name}.{role}" for role in blocks} | {"carried": len(varying)}
    attributes |= {} if count is None else {"trip_count": count}
    types = [read_type(v.type) for v in inputs[: len(varying)]]
    made = iter(ttir.operation("while", *inputs, result=types, **attributes).results)
    return [next(made) if i in varying else value for i, value in enumerate(carried)]


def _names(function: func.FuncOp) -> Iterator[str]:
    """Yield the names of bodies of loops that are in the function's module already."""
    module = function.operation.parent
    for op in module.regions[0].blocks[0].operations if module else ():
        if IN_LOOP in op.operation.attributes and op.operation.attributes["sym_name"].value.endswith(".body"):
            yield op.operation.attributes["sym_name"].value


def _plain(value: Value) -> Iterator[ir.Value]:
    """Yield the values of a function in a value: a known one is none."""
    if isinstance(value, tuple):
        for part in value:
            yield from _plain(part)
    elif not isinstance(value, Known):
        yield value


def _weight(writer: Writer, value: ir.Value) -> str | None:
    """Return the name of the parameter that a value is; None for any other."""
    return writer.parameters.get(value) or writer.weights.name_of(value)


def _write_function(
    writer: Writer,
    name: str,
    loop: LoopParts,
    old: ir.Block,
    carried: Sequence[Value],
    read: Mapping[ir.Value, Value],
    inputs: Sequence[ir.Value],
    outside: Sequence[ir.Value],
) -> None:
    varying = loop.varying
    with insert_before(writer.function):
        attributes = {"sym_name": ir.StringAttr.get(name), IN_LOOP: ir.UnitAttr.get(), "function_type": _type([], [])}
        made = ir.Operation.create("func.func", attributes=attributes, regions=1).opview
    assert isinstance(made, func.FuncOp)
    block = ir.Block.create_at_start(made.regions[0], [v.type for v in inputs], [v.location for v in inputs])
    count = len(varying)
    first, arguments = iter(list(block.arguments)[:count]), list(block.arguments)[count:]
    with writer.weights.inside(block):
        inner = dict(zip(inputs[count:], arguments, strict=True))
        named = {v: weight for v in outside if (weight := _weight(writer, v)) is not None}
        inner |= {v: writer.weights.named(weight, v) for v, weight in named.items()}
        values = [next(first) if i in varying else _inside(value, inner) for i, value in enumerate(carried)]
        returned = varying if old == loop.body else (0,)
        writer.fill(block, old, values, {v: _inside(value, inner) for v, value in read.items()}, returned)
        weights = dict(zip(writer.weights.in_use, list(block.arguments)[len(inputs) :], strict=True))
    for weight, argument in reversed(list(weights.items())):
        if not list(argument.uses):
            block.erase_argument(argument.arg_number)
            del weights[weight]
    results = [v.type for v in list(block.operations)[-1].operands]
    made.attributes["function_type"] = _type([a.type for a in block.arguments], results)
    signed = [ArgumentSignature(f"value.{i}", TensorKind.INPUT) for i in range(len(inputs))]
    signed += [ArgumentSignature(weight, TensorKind.PARAMETER) for weight in weights]
    write_signature(made, signed, [f"next.{i}" for i in range(len(results))])


def _type(inputs: Sequence[ir.Type], results: Sequence[ir.Type]) -> ir.Attribute:
    return ir.TypeAttr.get(ir.FunctionType.get(inputs, results))


def _inside(value: Value, inner: Mapping[ir.Value, ir.Value]) -> Value:
    """Return an outside value as the function of the loop has it."""
    if isinstance(value, tuple):
        return tuple(_inside(part, inner) for part in value)
    return value if isinstance(value, Known) else inner[value]
