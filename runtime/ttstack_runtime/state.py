"""The state that runs leave, as a safetensors file: what the program writes to, by name, and after how many runs."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save  # pyright: ignore[reportUnknownVariableType]

from ttstack.diagnostics import InputError
from ttstack.ops.types import TensorType
from ttstack.program.records import Binary, Function, TensorKind
from ttstack.support.files import write_whole
from ttstack_runtime.inputs.files import read_arrays
from ttstack_runtime.inputs.signature import Form
from ttstack_runtime.mutation import mutated_tensors

_STEPS = "steps"


@dataclass(frozen=True)
class State:
    """What a program has written to, by name, after a number of runs."""

    arrays: Mapping[str, np.ndarray] = field(default_factory=dict[str, np.ndarray])
    steps: int = 0


def written_types(binary: Binary, function: Function) -> dict[str, TensorType]:
    """The inputs and parameters that the function writes to, by name, as users give them."""
    roots = {function.owners[t] for operation in function.operations for t in mutated_tensors(operation)}
    given = (TensorKind.INPUT, TensorKind.PARAMETER)
    found = {t.holds.weight: t.type for t in (function.tensors[root] for root in sorted(roots)) if t.kind in given}
    return {name: binary.weights[name].type if name in binary.weights else t for name, t in found.items()}


def save_state(path: str | Path, state: State) -> None:
    """Write it, whole or not at all.

    Raises:
        OutputError: the file cannot be written.
    """
    arrays = {name: np.ascontiguousarray(array).reshape(array.shape) for name, array in state.arrays.items()}
    write_whole(path, save(arrays, {_STEPS: str(state.steps)}))


def load_state(path: str | Path, binary: Binary, function: Function) -> State:
    """The state of a function that was saved.

    Raises:
        InputError: there is no such file, it is damaged, or the state of another function.
    """
    arrays = read_arrays(path, lambda forms: _check(path, written_types(binary, function), forms))
    return State(arrays, _steps(path))


def _steps(path: str | Path) -> int:
    try:
        opened: Any = safe_open(path, framework="numpy")
        with opened as file:
            metadata: dict[str, str] = file.metadata() or {}
            return int(metadata[_STEPS])
    except (SafetensorError, KeyError, ValueError) as fault:
        raise InputError(f"'{path}' does not record its number of steps", hint=_HINT) from fault


def _check(path: str | Path, wanted: Mapping[str, TensorType], forms: Mapping[str, Form]) -> None:
    faults = [
        *(f"'{name}' is missing" for name in wanted if name not in forms),
        *(f"'{name}' is nothing that the program writes to" for name in forms if name not in wanted),
        *(
            f"'{name}' is {form.dtype.name}{list(form.shape)}, not {t}"
            for name, form in forms.items()
            if name in wanted and (form.shape, form.dtype) != ((t := wanted[name]).shape, t.dtype.numpy)
        ),
    ]
    if faults:
        raise InputError(f"'{path}' is not the state of this program", notes=tuple(faults), hint=_HINT)


_HINT = "give a file that `ttstack run --steps --state` wrote for this program, or the name of a new one"
