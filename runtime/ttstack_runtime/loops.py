"""Execution of loops: a condition and a body that run again and again on the host's decision."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, cast

import numpy as np

from ttstack.diagnostics import ExecutionError
from ttstack.ops.control_flow import While
from ttstack.program.records import Function, Operation
from ttstack_runtime.kernel_binding import Call
from ttstack_runtime.kernels.table import Array

Iteration = Callable[[Sequence[Array]], Sequence[Array]]
"""Runs a function once, on values in the order of its inputs."""


def loop_call(function: Function, operation: Operation, functions: Mapping[str, Iteration]) -> Call:
    """Return the call that runs a `While` with these functions by name.

    Raises:
        ExecutionError: when called, the condition still holds after `max_iterations`.
    """
    loop = function.definition(operation)
    assert isinstance(loop, While), "no other op runs functions"
    if loop.condition:
        return partial(_while, loop, functions[loop.condition], functions[loop.body])
    return partial(_times, loop, functions[loop.body])


def _times(loop: While, body: Iteration, *given: Any) -> tuple[Array, ...]:
    values = cast("Sequence[Array]", given)
    first = loop.carried + loop.scanned
    carried, scanned, fixed = values[: loop.carried], values[loop.carried : first], values[first:]
    order = range(loop.trip_count)
    rows = [np.empty(t.shape, t.dtype.numpy) for t in loop.types[loop.carried :]]
    for i in reversed(order) if loop.reverse else order:
        made = body([*carried, *(x[i] for x in scanned), *fixed])
        carried = made[: loop.carried]
        for stack, row in zip(rows, made[loop.carried :], strict=True):
            stack[i] = row
    return (*carried, *rows)


def _while(loop: While, condition: Iteration, body: Iteration, *given: Any) -> tuple[Array, ...]:
    values, done = cast("Sequence[Array]", given), 0
    while np.all(condition(values)):
        if loop.max_iterations and done == loop.max_iterations:
            raise ExecutionError(
                f"a loop ran {done:,} times, and its condition still holds",
                hint="compile with a larger --max-iterations, or check that the condition becomes false",
            )
        values, done = [*body(values), *values[loop.carried :]], done + 1
    return tuple(values[: loop.carried])
