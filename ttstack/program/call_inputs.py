"""Values by position or by name as a function's inputs by name."""

from collections.abc import Mapping, Sequence
from typing import Any, cast

import numpy as np

from ttstack.diagnostics import InputError
from ttstack.program.records import Function
from ttstack.program.run_inputs import say_argument
from ttstack.support.tensors import to_array

Array = np.ndarray[Any, Any]


def name_inputs(
    function: Function, values: Sequence[object], named: Mapping[str, object] | None = None
) -> dict[str, object] | None:
    """Return values by the names of inputs: one mapping, or values in the order of inputs, and others by name.

    None if there are no values, or a single None.

    Raises:
        InputError: there are more values than inputs, an input has two, or a value is a mapping among others.
    """
    by_name = dict(named or {})
    if len(values) == 1 and isinstance(values[0], Mapping):
        return {**cast("Mapping[str, object]", values[0]), **by_name}
    if not values or (len(values) == 1 and values[0] is None):
        return by_name or None
    takes = f"'{function.name}' takes {', '.join(map(say_argument, function.arguments.items())) or 'no inputs'}"
    if any(value is None or isinstance(value, Mapping) for value in values):
        raise InputError(
            "inputs are given by position and in a mapping at once, or one is None",
            hint=f"give the mapping alone, as in program.run({{'x': x}}), or all values in their order; {takes}",
        )
    if len(values) > len(function.arguments):
        raise InputError(f"{len(values)} values are given for {len(function.arguments)} inputs", hint=takes)
    placed = dict(zip(function.arguments, values, strict=False))
    if twice := sorted(placed.keys() & by_name.keys()):
        raise InputError(f"{', '.join(map(repr, twice))} is given by position and by name", hint=takes)
    return {**placed, **by_name}


def as_arrays(values: Mapping[str, object]) -> dict[str, Array]:
    """Return tensors, lists and numbers as arrays.

    Raises:
        InputError: a value is not one of them, such as a ragged list; all of them.
    """
    found: dict[str, Array] = {}
    faults: list[str] = []
    for name, value in values.items():
        try:
            found[name] = to_array(value)
        except (TypeError, ValueError) as error:
            faults.append(f"'{name}' is a {type(value).__name__}: {error}")
    if faults:
        raise InputError("inputs are not arrays", notes=tuple(faults), hint="give tensors, arrays, lists or numbers")
    return found
