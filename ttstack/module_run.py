"""Execute MLIR text of any phase: a model, or what the compiler printed between two passes."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ttstack.diagnostics import ExecutionError, SourceError
from ttstack.options.choices import Numerics
from ttstack.partial import values_beside
from ttstack.program.records import Binary
from ttstack_runtime.executor import Executed, find_function, run
from ttstack_runtime.inputs import random_inputs, random_weights


def module_program(source: str | Path, weights: Path | None = None, seed: int = 0) -> Binary:
    """Return the functions of a module as programs for `run_module`; parameters without values get random ones.

    Args:
        source: An `.mlir` file, or its text.
        weights: A `.safetensors` file with values of parameters; the one beside the `.mlir` file if None.
        seed: Of random values.

    Raises:
        TTStackError: the text does not parse, or has ops that cannot be executed.
    """
    from ttstack.executable import executable
    from ttstack.flatbuffer import safetensors
    from ttstack.frontends.source import import_model

    beside = values_beside(source) if isinstance(source, Path) and values_beside(source).exists() else None
    stored = weights or beside
    values = safetensors.read_arrays(stored) if stored else {}
    with import_model(str(source)) as found:
        program = executable(found.module, {**found.weights, **values})
    if not program.functions:
        raise SourceError(f"'{source}' has no function to execute", hint="give a module with a public function")
    return random_weights(program, seed)


def run_module(
    program: Binary,
    inputs: Mapping[str, np.ndarray[Any, Any]] | None = None,
    *,
    seed: int = 0,
    numerics: Numerics = "ieee",
    function: str | None = None,
) -> Executed:
    """Execute a function of a module.

    Args:
        program: As `module_program` returns it.
        inputs: Values by name; random ones if None.
        seed: Of random inputs.
        numerics: As in `Program.run`. `device` needs tensors with layouts: a module after placement.
        function: Which, if there are several.

    Raises:
        InputError: inputs do not fit.
        ExecutionError: an op has no reference semantics, or the module has no layouts and numerics is `device`.
    """
    chosen = find_function(program, function)
    if numerics == "device" and not any(t.layout.in_l1 or t.layout.dtype.is_float for t in chosen.tensors):
        raise ExecutionError(
            "numerics 'device' needs tensors with layouts, and the module has none",
            hint="give a module after the pass 'place', or leave out --numerics device",
        )
    values = random_inputs(chosen, seed) if inputs is None else inputs
    return run(program, values, function=chosen.name, numerics=numerics, check_buffers=False)
