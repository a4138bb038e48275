"""The file, and the weights beside it."""

from dataclasses import replace
from pathlib import Path

from ttstack.flatbuffer import safetensors
from ttstack.program.finite import check_held
from ttstack.program.records import Binary, Function, Tensor, TensorKind, Weight
from ttstack.support.files import replace_files
from ttstack.ttnn_python.program import emit_python

_USE = "a program in Python"
"""Whose the weights are, in their file."""


def write_python(
    binary: Binary,
    function: Function,
    name: str,
    path: Path,
    weights: Path,
    *,
    trace: bool = False,
    two_queues: bool = False,
) -> None:
    """Write a function as Python, after the values of its weights that are known, by name.

    Raises:
        UnsupportedOpError: ops have no call, or cannot be recorded; all of them are listed, and nothing is written.
        ExecutionError: parameters that the program takes to be finite are not.
        OutputError: a file cannot be written, or there is one of weights that is not such a program's.
    """
    check_held(binary, function)
    safetensors.check_use(weights, _USE)
    text = emit_python(binary, function, name, trace=trace, two_queues=two_queues)
    used = [function.tensors[i] for i in function.inputs]
    found = [_held(binary.weights[t.holds.weight], t) for t in used if t.kind is not TensorKind.INPUT]
    with replace_files(path, weights) as (code, values):
        code.write(text.encode())
        safetensors.write(values, [weight for weight in found if weight.data is not None], _USE)


def _held(weight: Weight, tensor: Tensor) -> Weight:
    """What the function holds of the weight, as it holds it, by the name of the tensor."""
    if weight.data is None or (tensor.held is None and weight.type == tensor.type):
        return weight
    return replace(
        weight, name=tensor.name, type=tensor.type, data=tensor.holds.view(weight.data).reshape(tensor.type.shape)
    )
