"""Execution of loops: a condition and a body that run again and again on the host's decision."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import islice
from typing import Any, cast

import numpy as np

from ttstack.diagnostics import ExecutionError
from ttstack.ops.control_flow import While
from ttstack.program.records import Function, Operation
from ttstack_runtime.kernel_binding import Call
from ttstack_runtime.kernels.table import Array

Iteration = Callable[[Sequence[Array]], Sequence[Array]]
"""Runs a function once, on values in the order of its inputs."""


def loop_call(function: Function, operation: Operation, functions: Mapping[str, Iteration], limit: int | None) -> Call:
    """Return the call that runs a `While` with these functions by name; it ends after `limit` iterations, if given.

    Raises:
        ExecutionError: when called, the condition still holds after `max_iterations`.
    """
    loop = function.definition(operation)
    assert isinstance(loop, While), "no other op runs functions"
    if loop.condition:
        return partial(_while, loop, functions[loop.condition], functions[loop.body], limit)
    return partial(_times, loop, functions[loop.body], limit)


def _times(loop: While, body: Iteration, limit: int | None, *given: Any) -> tuple[Array, ...]:
    values = cast("Sequence[Array]", given)
    first = loop.carried + loop.scanned
    carried, scanned, fixed = values[: loop.carried], values[loop.carried : first], values[first:]
    order = range(loop.trip_count)
    rows = [np.zeros(t.shape, t.dtype.numpy) for t in loop.types[loop.carried :]]
    for i in islice(reversed(order) if loop.reverse else order, limit):
        made = body([*carried, *(x[i] for x in scanned), *fixed])
        carried = made[: loop.carried]
        for stack, row in zip(rows, made[loop.carried :], strict=True):
            stack[i] = row
    return (*carried, *rows)


def _while(loop: While, condition: Iteration, body: Iteration, limit: int | None, *given: Any) -> tuple[Array, ...]:
    values, done = cast("Sequence[Array]", given), 0
    while done != limit and np.all(condition(values)):
        if loop.max_iterations and done == loop.max_iterations:
            raise ExecutionError(
                f"a loop ran {done:,} times, and its condition still holds",
                hint="compile with a larger --max-iterations, or check that the condition becomes false",
            )
        values, done = [*body(values), *values[loop.carried :]], done + 1
    return tuple(values[: loop.carried])
