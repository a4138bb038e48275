"""Parameters that a program assumes to be finite: it multiplies some of their elements by zeros."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ttstack.diagnostics import ExecutionError, InputError
from ttstack.program.finite_values import is_finite

if TYPE_CHECKING:
    from ttstack.program.records import Binary, Function

_HINT = "compile the model with these values: it is then compiled without the rewrites that need finite ones"


def check_given(binary: "Binary", inputs: Mapping[str, Any]) -> None:
    """Check new values of the parameters that the program assumes to be finite.

    Raises:
        InputError: some are infinite or NaN.
    """
    if names := [name for name in binary.finite if name in inputs and not _may_be_finite(inputs[name])]:
        raise InputError(_fault(names), hint=_HINT)


def check_held(binary: "Binary", function: "Function", given: Mapping[str, Any] = {}) -> None:
    """Check the program's own values of the parameters that it assumes to be finite, each array once.

    Raises:
        ExecutionError: some that are not `given` are infinite or NaN.
    """
    read = {tensor.holds.weight for tensor in function.parameters.values()} - given.keys()
    held = [binary.weights[name] for name in binary.finite if name in read and name in binary.weights]
    if names := [weight.name for weight in held if not weight.is_finite]:
        raise ExecutionError(_fault(names), hint=_HINT)


def _may_be_finite(value: object) -> bool:
    try:
        return is_finite(np.asarray(value))
    except (TypeError, ValueError):
        return True  # no array of numbers: the check of forms and types says so


def _fault(names: list[str]) -> str:
    listed = ", ".join(f"'{name}'" for name in names)
    return f"the program was compiled for finite values of {listed}, and some are infinite or NaN"
