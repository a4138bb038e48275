"""What a run executes on: the runtime's kernels, or code of this machine's processor."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ttstack.options.choices import Engine, Numerics
from ttstack.program.records import Binary, Function

if TYPE_CHECKING:
    from ttstack.targets.cpu.loader import LoadedProgram, Outcome
    from ttstack_runtime.executor import Executed

Natives = dict[str, "LoadedProgram"]
"""Functions that were compiled for the processor, by name."""


def execute(
    engine: Engine,
    natives: Natives,
    binary: Binary,
    function: Function,
    values: Mapping[str, np.ndarray[Any, Any]],
    numerics: Numerics,
    progress: Callable[[int, int, str], None] | None,
) -> "Executed | Outcome":
    """Outputs and updated values of a function; what is compiled for that is kept in `natives`.

    Raises:
        UnsupportedOpError: an op has no lowering for processors.
        InputError: names, shapes or element types do not fit, or the engine has no such numerics.
        ExecutionError: an op has no reference meaning, memory does not suffice, or an index is outside of its table.
    """
    if engine == "cpu":
        from ttstack.targets.cpu.engine import run_native

        return run_native(natives, binary, function, values, numerics)
    from ttstack_runtime.executor import run

    return run(binary, values, function=function.name, numerics=numerics, progress=progress)
