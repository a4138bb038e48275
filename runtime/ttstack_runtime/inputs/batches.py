"""Batches of inputs for several runs: values with one more dimension than an input are one batch after the other."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ttstack.diagnostics import InputError
from ttstack.program.records import Function
from ttstack_runtime.inputs.files import read_arrays
from ttstack_runtime.inputs.signature import Form, check_forms

Batches = Callable[[int], dict[str, np.ndarray]]
"""The inputs of a run by its number from 0; after the last batch comes the first one again."""


@dataclass(frozen=True)
class _OfABatch:
    """What one of several batches in an array is."""

    shape: tuple[int, ...]
    dtype: np.dtype[Any]


def load_batches(path: str | Path, function: Function) -> Batches:
    """Inputs from an `.npz` or `.safetensors` file: the same ones for all runs, or a batch for each.

    Raises:
        InputError: as for inputs of one run, or several inputs have batches, and not as many, or none.
    """
    arrays = read_arrays(path, lambda forms: _check(function, forms))
    several = _several(function, arrays)
    return lambda run: {name: a[run % len(a)] if name in several else a for name, a in arrays.items()}


def _several(function: Function, given: Mapping[str, Form]) -> dict[str, int]:
    """How many batches the inputs have that have several."""
    wanted = {name: tensor.given_type.shape for name, tensor in function.arguments.items()}
    return {name: form.shape[0] for name, form in given.items() if form.shape[1:] == wanted.get(name) != form.shape}


def _check(function: Function, given: Mapping[str, Form]) -> None:
    counts = _several(function, given)
    check_forms(
        function,
        {name: _OfABatch(form.shape[1:], form.dtype) if name in counts else form for name, form in given.items()},
    )
    if empty := [name for name, count in counts.items() if not count]:
        raise InputError(
            f"inputs of '{function.name}' have no batches: {', '.join(map(repr, empty))}",
            hint="give at least one along the first dimension, or leave that dimension out",
        )
    if len({*counts.values()}) > 1:
        raise InputError(
            f"inputs of '{function.name}' do not have the same number of batches",
            notes=tuple(f"'{name}' has {count}" for name, count in counts.items()),
            hint="give each as many along its first dimension, or one without that dimension",
        )
