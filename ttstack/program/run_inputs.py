"""What a function takes, and what is wrong with that which it is given."""

from collections.abc import Mapping
from typing import get_args

import numpy as np

from ttstack.choices import Engine
from ttstack.diagnostics import InputError
from ttstack.program.records import Binary, Function, Tensor


def say_argument(argument: tuple[str, Tensor]) -> str:
    """Name and type."""
    name, tensor = argument
    return f"{name}: {tensor.type}"


def check_run(binary: Binary, function: Function, inputs: object, seed: object, engine: object = "numpy") -> None:
    """Values are given by name, none of them is fixed, the seed is a number, and there is such an engine.

    Raises:
        InputError: they are not.
    """
    if inputs is not None and not isinstance(inputs, Mapping):
        declared = ", ".join(map(say_argument, function.arguments.items()))
        raise InputError(
            f"inputs are a {type(inputs).__name__}, not values by name",
            hint=f"give a mapping; '{function.name}' takes {declared or 'none'}",
        )
    given = [f"'{name}'" for name in binary.fixed if isinstance(inputs, Mapping) and name in inputs]
    if given:
        raise InputError(
            f"the program was computed with the value of {', '.join(given)}: a new one would not reach all of it",
            hint="compile the model with the new value, or make it an input of the model",
        )
    if not isinstance(seed, int | np.integer) or seed < 0:
        raise InputError(f"seed is {seed!r}", hint="give a whole number from 0 on")
    if engine not in get_args(Engine):
        raise InputError(f"there is no engine {engine!r}", hint=f"give one of {', '.join(get_args(Engine))}")
