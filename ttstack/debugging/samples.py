"""Inputs on which values are compared: random ones, ties and ends of ranges, empty masks and infinities."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ttstack.ops.types import TensorType
from ttstack.program.complex_values import interleave, to_complex
from ttstack.program.records import Function
from ttstack_runtime.inputs import random_inputs
from ttstack_runtime.inputs.roles import Positions, Role, roles

Array = np.ndarray[Any, Any]

_TIES = np.array([-1.0, 0.0, 0.0, 1.0, 1.0, 2.0])
_LARGE, _SHARE = 8.0, 0.02
"""The magnitude of large numbers, and the share of elements that are large or infinite."""


@dataclass(frozen=True)
class Sample:
    """Values for all inputs of a function."""

    name: str
    inputs: Mapping[str, Array]
    finite: bool = True
    """False if inputs have infinities: only elements that are finite before and after are compared."""


def samples(function: Function, seed: int = 0) -> Sequence[Sample]:
    """Return the inputs of a function on which values are compared.

    `random` has normal reals and valid integers. `ties` has few different reals, some large, the ends of the ranges of
    integers, and full masks. `extremes` has some infinite reals, the smallest integers, and empty masks.
    """
    rng = np.random.default_rng(seed)
    drawn = random_inputs(function, seed)
    pairs = {name for name, t in function.arguments.items() if t.is_complex}
    used_as = roles(function)

    def changed(reals: Callable[[Array], Array], ends: Sequence[int], mask: bool) -> dict[str, Array]:
        held = {name: interleave(a) if name in pairs else a for name, a in drawn.items()}
        found = {
            name: _changed(held[name], t.type, used_as.get(t.id), reals, rng.choice(ends, size=t.type.shape), mask)
            for name, t in function.arguments.items()
        }
        return {name: to_complex(a) if name in pairs else a for name, a in found.items()}

    def ties(values: Array) -> Array:
        large = rng.random(values.shape) < _SHARE
        return np.where(large, _LARGE * np.sign(values), rng.choice(_TIES, size=values.shape))

    def infinite(values: Array) -> Array:
        return np.where(rng.random(values.shape) < _SHARE, np.copysign(np.inf, values), values)

    return (
        Sample("random", drawn),
        Sample("ties", changed(ties, [0, -1], mask=True)),
        Sample("extremes", changed(infinite, [0], mask=False), finite=False),
    )


def _changed(
    drawn: Array, t: TensorType, role: Role | None, reals: Callable[[Array], Array], ends: Array, mask: bool
) -> Array:
    if t.dtype.is_float:
        return np.asarray(reals(drawn.astype(np.float64))).astype(t.dtype.numpy)
    if drawn.dtype.kind == "b":
        return np.full_like(drawn, mask)
    if isinstance(role, Positions):
        return np.where(ends < 0, max(role.bound, 1) - 1, 0).astype(drawn.dtype)
    return drawn
