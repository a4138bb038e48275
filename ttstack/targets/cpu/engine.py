"""Execution of device programs as code of this machine's CPU."""

import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ttstack.diagnostics import InputError
from ttstack.dialects.context import new_context
from ttstack.mlir import ir
from ttstack.passes.cpu.interface import c_name
from ttstack.program.complex_values import complex_outputs
from ttstack.program.records import Binary, Function
from ttstack.targets.cpu.compile import NativeProgram, compile_module
from ttstack.targets.cpu.from_program import module_of
from ttstack.targets.cpu.loader import LoadedProgram, Outcome, load, scipy_blas
from ttstack_runtime.given_shapes import held_weights, to_given_shapes, to_held_shapes
from ttstack_runtime.inputs import check_inputs

Array = np.ndarray[Any, Any]


def run_native(
    natives: dict[str, LoadedProgram], binary: Binary, found: Function, values: Mapping[str, Array], numerics: str
) -> Outcome:
    """Execute a function, compiled unless it is in `natives`.

    Raises:
        InputError: inputs do not fit, or CPUs do not support the numerics.
    """
    if numerics != "ieee":
        raise InputError(f"engine 'cpu' does not compute with numerics '{numerics}'", hint="leave one of them out")
    given = check_inputs(found, to_held_shapes(binary, found, values))
    if found.name not in natives:
        natives[found.name] = load_function(found)
    done = call(natives[found.name], binary, found, given)
    return Outcome(complex_outputs(found, done.outputs), to_given_shapes(binary, found, values, done.updated))


def compile_function(function: Function) -> NativeProgram:
    """Return the code of one function, with parameters as arguments; SciPy's OpenBLAS computes matmuls if available.

    Raises:
        UnsupportedOpError: lists all ops without a lowering for CPUs.
    """
    blas = "scipy" if scipy_blas() else None
    with new_context(), ir.Location.unknown():
        return compile_module(module_of(function), {}, c_name(function.name), blas=blas, of_program=True)


def load_function(function: Function) -> LoadedProgram:
    """Return the code of one function, linked and loaded.

    Raises:
        OutputError: there is no C compiler to link with.
    """
    with tempfile.TemporaryDirectory(prefix="ttstack-") as folder:
        compile_function(function).save(path := Path(folder) / "program.so")
        return load(path, {})


def call(loaded: LoadedProgram, binary: Binary, function: Function, given: Mapping[str, Array]) -> Outcome:
    """Return the function's results for checked inputs and the program's own weights."""
    tensors = [function.tensors[i] for i in function.inputs]
    known = {name: data for name, data in held_weights(binary, function).items() if data is not None}
    values = known | dict(given)
    types = {t.name: t.type.dtype.numpy for t in tensors}
    done = loaded.run(
        {name: np.asarray(a).astype(types[name], copy=False) for name, a in values.items() if name in types}
    )
    return Outcome(done.outputs, done.updated)
