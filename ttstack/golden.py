"""Comparison of a program's values with golden ones: from a file, from its model, or op by op."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import numpy as np

from ttstack.compiled_program import Program, Run
from ttstack.diagnostics import InputError
from ttstack.frontends.readers.extra import frontend
from ttstack.frontends.readers.torch import is_factory, is_torch
from ttstack.program.launched import op_numbers
from ttstack.program.records import Operation
from ttstack_runtime.numerics import ValueDifference, difference

Array = np.ndarray[Any, Any]

_FILES = (".npz", ".safetensors")
_SHOWN = 5


@dataclass(frozen=True)
class OpDifference:
    """The difference of one op's result from the exact one."""

    index: int | None
    """Number of the op in reports; None for ops that launch nothing."""
    name: str
    location: str
    result: int
    """Number of the result among the op's results."""
    values: ValueDifference


def compare_outputs(run: Run, golden: Mapping[str, Array]) -> dict[str, ValueDifference]:
    """Compare outputs, and updated values that `golden` names, by name.

    Raises:
        InputError: names or shapes differ; lists all of them.
    """
    values = {**run.updated, **run.outputs}
    faults = [f"'{name}' is missing" for name in run.outputs if name not in golden]
    faults += [f"'{name}' is not an output of the program" for name in golden if name not in values]
    shared = [name for name in values if name in golden]
    faults += [
        f"'{name}' has shape {_shape(golden[name])}, the output of the program {_shape(values[name])}"
        for name in shared
        if np.shape(golden[name]) != np.shape(values[name])
    ]
    if faults:
        names = ", ".join(run.outputs)
        raise InputError(
            "golden values do not match the outputs of the program",
            notes=tuple(faults),
            hint=f"store one array for each output by name: {names}",
        )
    return {name: difference(values[name], golden[name]) for name in shared}


def golden_values(
    program: Program,
    golden: Any,
    inputs: Mapping[str, Array],
    function: str | None = None,
) -> dict[str, Array]:
    """Read or compute the golden outputs of a program, by name.

    Args:
        program: The program.
        golden: An `.npz` or `.safetensors` file, as written by `run --output`, or the model of the program: PyTorch
        runs its own models, and others are compiled without rewrites and computed exactly.
        inputs: The inputs of the compared run.
        function: The name of the function, if there are several.

    Raises:
        InputError: the file cannot be read, or the model has other inputs, outputs or parameters than the program.
        TTStackError: the model cannot be read.
    """
    if isinstance(golden, str | Path) and Path(golden).suffix.lower() in _FILES:
        from ttstack_runtime.inputs.files import read_arrays

        return dict(read_arrays(golden, lambda _: None))
    if any(weight.data is None for weight in program.binary.weights.values()):
        raise InputError(
            "the program has no values of its weights to compute golden values with", hint="give outputs in a .npz file"
        )
    if is_torch(golden) or (isinstance(golden, str) and is_factory(golden)) or Path(golden).suffix == ".pt2":
        return _of_torch(program, golden, inputs, function)
    plain = program.recompile(golden, without="all", placement="dram", function=function)
    return dict(plain.run(inputs, function=function).outputs)


def compare_ops(
    program: Program, inputs: Mapping[str, Array] | None = None, seed: int = 0, function: str | None = None
) -> list[OpDifference]:
    """Compare the result of every op in the device's formats with the exact one of the same program.

    Raises:
        ExecutionError: the host does not have enough memory for the results of all ops.
    """
    from ttstack_runtime.executor import run
    from ttstack_runtime.host_memory import require
    from ttstack_runtime.inputs import random_inputs, random_weights

    found = program.function(function)
    values, binary = random_inputs(found, seed) if inputs is None else inputs, random_weights(program.binary, seed)
    results = [i for op in found.operations for i in op.results]
    require(8 * sum(found.tensors[i].type.size for i in results), "comparing each op")
    exact: list[list[Array | None]] = []
    differences: list[OpDifference] = []
    numbers = op_numbers(found)

    def store(operation: Operation, held: Any) -> None:
        exact.append([_array(held[i]) for i in operation.results])

    def compare(operation: Operation, held: Any) -> None:
        at = next(position)
        for place, (result, expected) in enumerate(zip(operation.results, exact[at], strict=True)):
            value = _array(held[result])
            if value is not None and expected is not None and numbers[at] is not None:
                measured = difference(value, expected)
                differences.append(OpDifference(numbers[at], operation.name, operation.location, place, measured))

    run(binary, values, function=found.name, numerics="ieee", watch=store)
    position = iter(range(len(found.operations)))
    run(binary, values, function=found.name, numerics="device", watch=compare)
    return differences


def _array(held: Any) -> Array | None:
    """Return a copy of a value on one chip; None for distributed or non-numeric values."""
    if not isinstance(held, np.ndarray):
        return None
    array = cast(Array, held)
    return None if array.dtype.kind == "O" else np.array(array)


def _of_torch(program: Program, model: Any, inputs: Mapping[str, Array], function: str | None) -> dict[str, Array]:
    names = list(program.outputs(function))
    weights = {name: w.data for name, w in program.binary.weights.items() if w.data is not None}
    given = [inputs[name] for name in program.inputs(function)]
    values, others = frontend("torch", "PyTorch").run_torch(model, given, weights)
    if others:
        more = [f"and {len(others) - _SHOWN} more"] if len(others) > _SHOWN else []
        raise InputError(
            "the model has other parameters than the program",
            notes=(*(f"'{name}' differs" for name in others[:_SHOWN]), *more),
            hint="let the factory set the seed of its random weights, or load them from a file",
        )
    if len(values) != len(names):
        raise InputError(f"the model has {len(values)} outputs, the program {len(names)}", hint="give its own model")
    return dict(zip(names, values, strict=True))


def _shape(array: Any) -> str:
    return "x".join(map(str, np.shape(array))) or "scalar"
