"""Inputs of a function, and faults of the given ones."""

from collections.abc import Mapping
from typing import cast, get_args

import numpy as np

from ttstack.diagnostics import InputError
from ttstack.options.choices import Engine
from ttstack.program.finite import check_given, check_held
from ttstack.program.records import Binary, Function, Tensor


def say_argument(argument: tuple[str, Tensor]) -> str:
    """Name and type."""
    name, tensor = argument
    return f"{name}: {tensor.given_type}"


def check_run(binary: Binary, function: Function, inputs: object, seed: object, engine: object = "numpy") -> None:
    """Check inputs by name, parameters that are fixed or to be finite, the seed and the name of the engine.

    Raises:
        InputError: one of them does not fit.
        ExecutionError: parameters of the program that are to be finite are not.
    """
    if inputs is not None and not isinstance(inputs, Mapping):
        declared = ", ".join(map(say_argument, function.arguments.items()))
        raise InputError(
            f"inputs are a {type(inputs).__name__}, not values by name",
            hint=f"give a mapping; '{function.name}' takes {declared or 'none'}",
        )
    values = cast("Mapping[str, object]", inputs or {})
    given = [f"'{name}'" for name in binary.fixed if name in values]
    if given:
        raise InputError(
            f"the program was computed with the value of {', '.join(given)}: a new one would not reach all of it",
            hint="compile the model with the new value, or make it an input of the model",
        )
    check_given(binary, values)
    check_held(binary, function, values)
    if not isinstance(seed, int | np.integer) or seed < 0:
        raise InputError(f"seed is {seed!r}", hint="give a whole number from 0 on")
    if engine not in get_args(Engine):
        raise InputError(f"there is no engine {engine!r}", hint=f"give one of {', '.join(get_args(Engine))}")
