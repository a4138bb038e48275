"""Parameters that a function holds otherwise than users give and get them: in another shape or order, or in parts."""

from collections.abc import Mapping

import numpy as np

from ttstack.diagnostics import InputError
from ttstack.program.complex_values import to_complex
from ttstack.program.records import Binary, Function, Tensor, TensorKind

Arrays = Mapping[str, np.ndarray]


def held_weights(binary: Binary, function: Function) -> dict[str, np.ndarray | None]:
    """Values of the function's parameters and constants as it holds them, by name; None where there are none."""
    tensors = (function.tensors[i] for i in function.inputs)
    found = ((t, binary.weights.get(t.holds.weight)) for t in tensors if t.kind is not TensorKind.INPUT)
    return {t.name: None if w is None or w.data is None else held_values(t, w.data) for t, w in found}


def held_values(tensor: Tensor, weight: np.ndarray) -> np.ndarray:
    """What a tensor holds of a weight, in the shape in which it holds it, and row-major as in a file.

    NumPy's last bit depends on how far elements are apart in memory.
    """
    return np.ascontiguousarray(tensor.holds.view(np.asarray(weight))).reshape(tensor.type.shape)


def to_held_shapes(binary: Binary, function: Function, given: Arrays) -> dict[str, np.ndarray]:
    """Values by name, those of parameters as the function holds them; others as they are.

    Raises:
        InputError: a weight that is held otherwise than it is given has another shape.
    """
    tensors = [t for t in function.parameters.values() if t.holds.weight in given and t.holds.weight in binary.weights]
    _check_shapes(binary, function, tensors, given)
    weights = {t.holds.weight for t in tensors}
    found = {name: array for name, array in given.items() if name not in weights}
    for tensor in tensors:
        name, array = tensor.holds.weight, np.asarray(given[tensor.holds.weight])
        found[tensor.name] = held_values(tensor, array) if array.shape == binary.weights[name].type.shape else array
    return found


def to_given_shapes(binary: Binary, function: Function, given: Arrays, held: Arrays) -> dict[str, np.ndarray]:
    """Values that a run left by the names that users know; `given` are those that it began with, `held` its own."""
    parameters, found = function.parameters, dict[str, np.ndarray]()
    pairs = {name for name, tensor in function.arguments.items() if tensor.is_complex}
    for name, array in held.items():
        tensor = parameters.get(name)
        if name in pairs:
            found[name] = to_complex(array)
            continue
        if tensor is None or tensor.holds.weight not in binary.weights:
            found[name] = array
            continue
        weight = binary.weights[tensor.holds.weight]
        if tensor.held is None:
            found[name] = array.reshape(weight.type.shape)
            continue
        if weight.name not in found:
            found[weight.name] = np.array(given.get(weight.name, weight.data), array.dtype)
        target = tensor.held.view(found[weight.name])
        target[...] = array.reshape(target.shape)
    return found


def _check_shapes(binary: Binary, function: Function, tensors: list[Tensor], given: Arrays) -> None:
    weights = {t.holds.weight: binary.weights[t.holds.weight].type for t in tensors if t.held is not None}
    faults = {
        name: f"'{name}' has shape {list(np.shape(given[name]))}, not {list(t.shape)}"
        for name, t in weights.items()
        if np.shape(given[name]) != t.shape
    }
    if faults:
        raise InputError(
            f"inputs do not fit '{function.name}'",
            notes=tuple(faults[name] for name in sorted(faults)),
            hint="give parameters in the shapes that the model has them in",
        )
