"""Input files: arrays by name, `.npz` or `.safetensors`."""

import zipfile
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load_file  # pyright: ignore[reportUnknownVariableType]

from ttstack.diagnostics import InputError
from ttstack.program.records import Function
from ttstack.support.suggestion import file_meant
from ttstack_runtime.inputs.npz import DamageError, intact, is_array, stored_arrays
from ttstack_runtime.inputs.signature import Form, check_forms

Check = Callable[[Mapping[str, Form]], None]
"""Judges arrays by their names and shapes, before there are values."""


def load_inputs(path: str | Path, function: Function) -> dict[str, np.ndarray]:
    """Arrays by name from an `.npz` or `.safetensors` file, for a function: none is larger than what that takes.

    Raises:
        InputError: there is no such file, it is not of the format that its suffix says, or names or shapes are not
            those of the function.
    """
    return read_arrays(path, partial(check_forms, function))


def read_arrays(path: str | Path, check: Check) -> dict[str, np.ndarray]:
    """Arrays by name from an `.npz` or `.safetensors` file, where `check` takes their names and shapes.

    Raises:
        InputError: there is no such file, or it is not of the format that its suffix says.
    """
    file = Path(path)
    readers = {".npz": _read_npz, ".safetensors": _read_safetensors}
    reader = readers.get(file.suffix.lower())
    if reader is None:
        raise InputError(f"cannot read inputs from '{file}'", hint=f"give one of {', '.join(readers)}")
    if not file.is_file():
        raise InputError(f"there is no input file '{file}'", hint=file_meant(file) or "give the path of one")
    return reader(file, check)


def _read_npz(file: Path, check: Check) -> dict[str, np.ndarray]:
    """Values are inflated when names and shapes are known to fit: a small file can claim many."""
    try:
        with _archive(file) as archive:
            arrays = stored_arrays(archive)
            check(arrays)
            return {name: array.read() for name, array in arrays.items()}
    except DamageError as fault:
        raise _broken(file, str(fault) if zipfile.is_zipfile(file) else "it is not a zip archive") from fault


def _archive(file: Path) -> zipfile.ZipFile:
    with intact():
        if is_array(file):
            raise _broken(file, "it holds one array without a name")
        return zipfile.ZipFile(file)


def _read_safetensors(file: Path, check: Check) -> dict[str, np.ndarray]:
    """Values are as many as the file has bytes."""
    try:
        with intact():
            arrays = load_file(file)
    except (SafetensorError, DamageError) as fault:
        raise _broken(file, str(fault)) from fault
    check(arrays)
    return arrays


def _broken(file: Path, why: str) -> InputError:
    return InputError(f"'{file}' is not a readable {file.suffix} file", notes=(why,))
