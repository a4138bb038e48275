"""Parameters that a function holds under another shape than users give and get them in."""

from collections.abc import Mapping

import numpy as np

from ttstack.program.records import Binary, Function

Arrays = Mapping[str, np.ndarray]


def to_held_shapes(binary: Binary, function: Function, given: Arrays) -> dict[str, np.ndarray]:
    """Values by name, those of parameters in the shapes that the function holds; others as they are."""
    held = function.parameters
    shapes = {name: held[name].type.shape for name in given if name in held and name in binary.weights}
    return {
        name: array.reshape(shapes[name]) if name in shapes and _fits(binary, name, array) else array
        for name, array in given.items()
    }


def to_given_shapes(binary: Binary, held: Arrays) -> dict[str, np.ndarray]:
    """Values by name, those of parameters in the shapes that users know."""
    return {
        name: array.reshape(binary.weights[name].type.shape) if name in binary.weights else array
        for name, array in held.items()
    }


def _fits(binary: Binary, name: str, array: np.ndarray) -> bool:
    return np.shape(array) == binary.weights[name].type.shape
