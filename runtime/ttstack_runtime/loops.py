"""Execution of loops: a condition and a body that run again and again on the host's decision."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, cast

import numpy as np

from ttstack.diagnostics import ExecutionError
from ttstack.ops.control_flow import While
from ttstack.program.records import Operation
from ttstack_runtime.kernel_binding import Call, attributes
from ttstack_runtime.kernels.table import Array

Iteration = Callable[[Sequence[Array]], Sequence[Array]]
"""Runs a function once, on values in the order of its inputs."""


def loop_call(operation: Operation, functions: Mapping[str, Iteration]) -> Call:
    """Return the call that runs a `While` with these functions by name.

    Raises:
        ExecutionError: when called, the condition still holds after `max_iterations`.
    """
    fields = attributes(operation)
    assert operation.name == While.mnemonic, "there is no other op that runs functions"
    condition, body = fields["condition"], functions[fields["body"]]
    if not condition:
        return partial(_times, fields["trip_count"], body, fields["carried"])
    most = fields["max_iterations"] or None
    return partial(_while, functions[condition], body, fields["carried"], most)


def _times(count: int, body: Iteration, carried: int, *given: Any) -> tuple[Array, ...]:
    values = cast("Sequence[Array]", given)
    for _ in range(count):
        values = [*body(values), *values[carried:]]
    return tuple(values[:carried])


def _while(condition: Iteration, body: Iteration, carried: int, most: int | None, *given: Any) -> tuple[Array, ...]:
    values, done = cast("Sequence[Array]", given), 0
    while np.all(condition(values)):
        if done == most:
            raise ExecutionError(
                f"a loop ran {most:,} times, and its condition still holds",
                hint="compile with a larger --max-iterations, or check that the condition becomes false",
            )
        values, done = [*body(values), *values[carried:]], done + 1
    return tuple(values[:carried])
