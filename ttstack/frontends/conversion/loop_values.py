"""Values of loops that nothing needs, such as counters that were only the positions of slices."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from ttstack.dialects.base import definition_of
from ttstack.dialects.defining_op import defining_op
from ttstack.dialects.functions import all_functions, only_block, refresh_signature
from ttstack.dialects.signature import read_arguments, read_results, write_signature
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.types import read_type
from ttstack.mlir import func, ir
from ttstack.ops.control_flow import While

_WHILE = "ttir.while"
_PARTIAL_WRITES = ("ttir.scatter",)
"""Ops whose result is their first operand with other values at some positions."""


def drop_loop_values(module: ir.Module) -> None:
    """Drop what no result depends on from all loops, and let bodies write to carried buffers in place.

    Dropped are carried values, slices, rows and inputs. A carried value is needed if its last value is used, if the
    condition reads it, or if a needed value of the next iteration depends on it.
    """
    functions = {function.name.value: function for function in all_functions(module)}
    for function in functions.values():
        for op in [o.operation for o in only_block(function).operations if o.operation.name == _WHILE]:
            _LoopUse.of(op, functions).shrink()
    for function in functions.values():
        for op in [o.operation for o in only_block(function).operations if o.operation.name == _WHILE]:
            _LoopUse.of(op, functions).write_in_place()


@dataclass(frozen=True)
class _LoopUse:
    op: ir.Operation
    loop: While
    body: func.FuncOp
    condition: func.FuncOp | None

    @staticmethod
    def of(op: ir.Operation, functions: Mapping[str, func.FuncOp]) -> "_LoopUse":
        loop = definition_of(op)
        assert isinstance(loop, While)
        return _LoopUse(op, loop, functions[loop.body], functions[loop.condition] if loop.condition else None)

    @property
    def _next(self) -> list[ir.Value]:
        """What an iteration returns."""
        *_, last = only_block(self.body).operations
        return list(last.operation.operands)

    @cached_property
    def results(self) -> list[int]:
        """The positions of needed results."""
        needed = {i for i, result in enumerate(self.op.results) if list(result.uses)}
        needed |= {i for i in self._asked if i < self.loop.carried}
        previous: set[int] = set()
        while previous != needed:
            previous = set(needed)
            needed |= {i for i in self._reached(needed) if i < self.loop.carried}
        return sorted(needed)

    @cached_property
    def inputs(self) -> list[int]:
        """The positions of needed inputs."""
        first = self.loop.carried
        return [i for i in self.results if i < first] + sorted(
            i for i in self._reached(self.results) | self._asked if i >= first
        )

    @cached_property
    def _asked(self) -> set[int]:
        """The positions of the values that the condition reads."""
        if self.condition is None:
            return set()
        arguments = list(only_block(self.condition).arguments)[: len(self.loop.inputs)]
        return {i for i, argument in enumerate(arguments) if list(argument.uses)}

    def _reached(self, results: Iterable[int]) -> set[int]:
        """Return the positions of the inputs that these results of an iteration depend on."""
        seen: set[ir.Value] = set()
        waiting = [self._next[i] for i in results]
        while waiting:
            value = waiting.pop()
            if value not in seen:
                seen.add(value)
                op = defining_op(value)
                waiting += [] if op is None else list(op.operands)
        arguments = list(only_block(self.body).arguments)[: len(self.loop.inputs)]
        return {i for i, argument in enumerate(arguments) if argument in seen}

    def shrink(self) -> None:
        """Replace the loop by one with the needed values alone, unless it has no others."""
        loop, count = self.loop, len(self.loop.inputs)
        whole = len(self.results) == len(self.op.results) and len(self.inputs) == count
        if whole or not any(i < loop.carried + loop.scanned for i in self.inputs):
            return
        first = loop.carried + loop.scanned
        numbers = {
            "carried": sum(i < loop.carried for i in self.inputs),
            "scanned": sum(loop.carried <= i < first for i in self.inputs),
            "stacked": sum(i >= loop.carried for i in self.results),
        }
        with ir.InsertionPoint(self.op), self.op.location:
            made = ttir.operation(
                "while",
                *(self.op.operands[i] for i in self.inputs),
                result=[loop.types[i] for i in self.results],
                **loop.attributes() | numbers,
            )
        for i, result in zip(self.results, made.results, strict=True):
            self.op.results[i].replace_all_uses_with(result)
        self.op.erase()
        _shrink(self.body, self.inputs, count, self.results)
        if self.condition is not None:
            _shrink(self.condition, self.inputs, count, [0])

    def write_in_place(self) -> None:
        """Let the body write to carried real numbers of which it changes a part, such as caches.

        Rows and what no iteration changes are not written to: their buffers are those of the function with the loop.
        """
        block = only_block(self.body)
        *_, last = (op.operation for op in block.operations)
        for i, value in enumerate(self._next[: self.loop.carried]):
            write = defining_op(value, *_PARTIAL_WRITES)
            is_real = read_type(value.type).dtype.is_float
            if write is not None and is_real and write.operands[0] == block.arguments[i]:
                with ir.InsertionPoint(last), write.location:
                    ttir.operation("assign", block.arguments[i], value)
                last.operands[i] = block.arguments[i]


def _shrink(function: func.FuncOp, inputs: Sequence[int], count: int, results: Sequence[int]) -> None:
    """Leave these inputs, of the first `count`, and these results of a function, and what they need."""
    block = only_block(function)
    *ops, last = (op.operation for op in block.operations)
    arguments, names = read_arguments(function), read_results(function, len(last.operands))
    with ir.InsertionPoint(last), last.location:
        ir.Operation.create("func.return", operands=[last.operands[i] for i in results])
    last.erase()
    for op in reversed(ops):
        if not any(list(result.uses) for result in op.results):
            op.erase()
    for i in reversed(range(count)):
        if i not in inputs:
            block.erase_argument(i)
    kept = [*inputs, *range(count, len(arguments))]
    refresh_signature(function)
    write_signature(function, [arguments[i] for i in kept], [names[i] for i in results])
