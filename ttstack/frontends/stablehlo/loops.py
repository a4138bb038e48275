"""Loops that stay loops: their condition and body as functions that a `ttir.while` runs."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Protocol

from ttstack.dialects.built_ops import insert_before
from ttstack.dialects.functions import refresh_signature
from ttstack.dialects.signature import IN_LOOP, ArgumentSignature, write_signature
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.types import read_type
from ttstack.frontends.stablehlo.external_constants import ExternalConstants
from ttstack.frontends.stablehlo.fold import Known
from ttstack.frontends.stablehlo.loop_parts import Count, LoopParts, Value
from ttstack.frontends.stablehlo.scans import ScannedRows, scan_of
from ttstack.mlir import func, ir
from ttstack.program.records import TensorKind


class FunctionWriter(Protocol):
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
        given: Mapping[ir.Value, Value],
        returned: Callable[[Sequence[Value]], Sequence[Value]],
    ) -> None:
        """Write an old block into the block of another function.

        Args:
            block: The block of the function.
            old: The block that is written.
            arguments: The values of its arguments.
            values: The values of what is outside of it.
            given: Results of its ops that are known values, so that these ops are not written.
            returned: Returns what the function returns, from the results of the old block.
        """
        ...


@dataclass(frozen=True)
class _OutlinedLoop:
    """A loop, its values before the first iteration, and the roles that they have."""

    writer: FunctionWriter
    parts: LoopParts
    carried: Sequence[Value]
    count: Count | None
    scan: ScannedRows = field(default_factory=ScannedRows)

    @cached_property
    def kept(self) -> tuple[int, ...]:
        """The positions of values that go from one iteration to the next."""
        return tuple(i for i in self.parts.varying if i not in self.scan.rows)

    @cached_property
    def read(self) -> dict[ir.Value, Value]:
        """Values from outside that the blocks read."""
        return {v: self.writer.values[v] for v in self.parts.outside_values()}

    @cached_property
    def scanned(self) -> tuple[ir.BlockArgument, ...]:
        """Arguments of the body from which iterations take slices."""
        return tuple(dict.fromkeys(self.scan.slices.values()))

    @cached_property
    def outside(self) -> list[ir.Value]:
        """Values of the function that has the loop which no iteration changes, and that are not only cut to slices."""
        fixed = [self.carried[i] for i in range(len(self.carried)) if i not in (*self.parts.varying, *self.absent)]
        return list(dict.fromkeys(v for value in (*self.read.values(), *fixed) for v in _plain(value)))

    @cached_property
    def absent(self) -> frozenset[int]:
        """The positions of values that the functions do not have: buffers of rows, and what is only cut to slices."""
        return frozenset((*self.scan.rows, *(a.arg_number for a in self.scanned if self._is_only_cut(a))))

    def _is_only_cut(self, argument: ir.BlockArgument) -> bool:
        asked = list(self.parts.condition.arguments[argument.arg_number].uses) if self.count is None else []
        *_, last = (op.operation for op in self.parts.body.operations)
        users = [use.owner.operation for use in argument.uses]
        return not asked and all(user == last or user.results[0] in self.scan.slices for user in users if user != last)

    @cached_property
    def fixed(self) -> list[ir.Value]:
        """Those of `outside` that are inputs of the loop: parameters are found by name."""
        return [v for v in self.outside if _weight(self.writer, v) is None]


def write_loop(writer: FunctionWriter, parts: LoopParts, carried: Sequence[Value], count: Count | None) -> list[Value]:
    """Write a `ttir.while` and its functions; return the values after the loop.

    What no iteration changes is not carried: constants are written in the functions, and parameters become parameters
    of these, by name. A loop of known length takes slices and stacks rows, where its counter is their index.

    Args:
        writer: Writes the function that has the loop.
        parts: The loop.
        carried: The values before the first iteration.
        count: How the loop counts, or None if the condition decides.
    """
    scan = scan_of(parts, carried, count) if count is not None else ScannedRows()
    loop = _OutlinedLoop(writer, parts, carried, count, scan)
    starts = [writer.write(carried[i]) for i in loop.kept]
    sources = [writer.write(carried[a.arg_number]) for a in loop.scanned]
    name = f"{writer.function.name.value}.while_{_count_loops(writer.function)}"
    roles = ("condition", "body") if count is None else ("body",)
    for role in roles:
        _write_function(loop, f"{name}.{role}", role, [*starts, *sources])
    attributes: dict[str, Any] = {role: f"{name}.{role}" for role in roles} | {"carried": len(starts)}
    types = [read_type(v.type) for v in starts]
    if count is not None:
        attributes |= {"trip_count": count.iterations, "scanned": len(sources), "stacked": len(scan.rows)}
        attributes["reverse"] = scan.reverse
        types += [read_type(parts.body.arguments[i].type) for i in scan.rows]
    made = ttir.operation("while", *starts, *sources, *loop.fixed, result=types, **attributes).results
    after = dict(zip((*loop.kept, *scan.rows), made, strict=True))
    return [after.get(i, value) for i, value in enumerate(carried)]


def _count_loops(function: func.FuncOp) -> int:
    """Return the number of bodies of loops that are in the function's module already."""
    module = function.operation.parent
    others = [op.operation.attributes for op in (module.regions[0].blocks[0].operations if module else ())]
    return sum(IN_LOOP in of and of["sym_name"].value.endswith(".body") for of in others)


def _plain(value: Value) -> Iterator[ir.Value]:
    """Yield the values of a function in a value: a known one is none."""
    if isinstance(value, tuple):
        for part in value:
            yield from _plain(part)
    elif not isinstance(value, Known):
        yield value


def _weight(writer: FunctionWriter, value: ir.Value) -> str | None:
    """Return the name of the parameter that a value is; None for any other."""
    return writer.parameters.get(value) or writer.weights.name_of(value)


def _write_function(loop: _OutlinedLoop, name: str, role: str, varying: Sequence[ir.Value]) -> None:
    """Write the condition or the body; `varying` are the carried values and the scanned tensors of the loop."""
    writer, parts, scan = loop.writer, loop.parts, loop.scan
    with insert_before(writer.function):
        nothing = ir.TypeAttr.get(ir.FunctionType.get([], []))
        attributes = {"sym_name": ir.StringAttr.get(name), IN_LOOP: ir.UnitAttr.get(), "function_type": nothing}
        made = ir.Operation.create("func.func", attributes=attributes, regions=1).opview
    assert isinstance(made, func.FuncOp)
    types = [v.type for v in varying[: len(loop.kept)]] + [_row(v.type) for v in varying[len(loop.kept) :]]
    types += [v.type for v in loop.fixed]
    block = ir.Block.create_at_start(made.regions[0], types, [ir.Location.unknown()] * len(types))
    arguments = list(block.arguments)
    kept = dict(zip(loop.kept, arguments, strict=False))
    slices = dict(zip(loop.scanned, arguments[len(loop.kept) :], strict=False))
    with writer.weights.inside(block):
        inner = dict(zip(loop.fixed, arguments[len(varying) :], strict=True))
        named = {v: weight for v in loop.outside if (weight := _weight(writer, v)) is not None}
        inner |= {v: writer.weights.parameter(weight, v) for v, weight in named.items()}
        with ir.InsertionPoint(block), parts.op.location:
            given: dict[ir.Value, Value] = {v: _shaped(slices[a], v.type) for v, a in scan.slices.items()}
        given |= dict.fromkeys(scan.writes, ())
        values = [
            kept[i] if i in kept else () if i in loop.absent else _inside(value, inner)
            for i, value in enumerate(loop.carried)
        ]
        outside = {v: _inside(value, inner) for v, value in loop.read.items()}
        if role == "condition":
            writer.fill(block, parts.condition, values, outside, {}, lambda results: results)
        else:
            writer.fill(block, parts.body, values, outside, given, lambda results: _next(loop, results))
        weights = dict(zip(writer.weights.in_use, list(block.arguments)[len(types) :], strict=True))
    _sign(made, block, len(types), weights)


def _next(loop: _OutlinedLoop, results: Sequence[Value]) -> list[Value]:
    """Return what an iteration returns: carried values, and rows."""
    writer = loop.writer
    rows = [writer.write(writer.values[row]) for row in loop.scan.rows.values()]
    return [*(results[i] for i in loop.kept), *(_shaped(row, _row(row.type)) for row in rows)]


def _row(stack: ir.Type) -> ir.Type:
    """Return the type of a slice of the first dimension."""
    t = ir.RankedTensorType(stack)
    return ir.RankedTensorType.get(list(t.shape)[1:], t.element_type)


def _shaped(value: ir.Value, result: ir.Type) -> ir.Value:
    return ir.Operation.create("stablehlo.reshape", results=[result], operands=[value]).results[0]


def _sign(function: func.FuncOp, block: ir.Block, count: int, weights: Mapping[str, ir.BlockArgument]) -> None:
    """Set the type of a function and the names of its values; leave out parameters that it does not use."""
    used = [weight for weight, argument in weights.items() if list(argument.uses)]
    for argument in reversed([argument for weight, argument in weights.items() if weight not in used]):
        block.erase_argument(argument.arg_number)
    refresh_signature(function)
    signed = [ArgumentSignature(f"value.{i}", TensorKind.INPUT) for i in range(count)]
    signed += [ArgumentSignature(weight, TensorKind.PARAMETER) for weight in used]
    write_signature(function, signed, [f"next.{i}" for i in range(len(function.type.results))])


def _inside(value: Value, inner: Mapping[ir.Value, ir.Value]) -> Value:
    """Return an outside value as the function of the loop has it."""
    if isinstance(value, tuple):
        return tuple(_inside(part, inner) for part in value)
    return value if isinstance(value, Known) else inner[value]
