"""Engines of a run: the runtime's kernels, or code of this machine's CPU."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ttstack.options.choices import Engine, Numerics
from ttstack.program.records import Binary, Function

if TYPE_CHECKING:
    from ttstack.targets.cpu.loader import LoadedProgram, Outcome
    from ttstack_runtime.executor import Executed

Natives = dict[str, "LoadedProgram"]
"""Functions compiled for the CPU, by name."""


def execute(
    engine: Engine,
    natives: Natives,
    binary: Binary,
    function: Function,
    values: Mapping[str, np.ndarray[Any, Any]],
    numerics: Numerics,
    progress: Callable[[int, int, str], None] | None,
) -> "Executed | Outcome":
    """Return outputs and updated values of a function; compiled code is cached in `natives`.

    Raises:
        UnsupportedOpError: an op has no lowering for CPUs.
        InputError: names, shapes or element types do not fit, or the engine does not support the numerics.
        ExecutionError: an op has no reference implementation, there is not enough memory, or an index is out of range.
    """
    if engine == "cpu":
        from ttstack.targets.cpu.engine import run_native

        return run_native(natives, binary, function, values, numerics)
    from ttstack_runtime.executor import run

    return run(binary, values, function=function.name, numerics=numerics, progress=progress)
