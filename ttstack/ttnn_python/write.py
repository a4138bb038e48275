"""The output file, and the weights next to it."""

from dataclasses import replace
from pathlib import Path

from ttstack.flatbuffer import safetensors
from ttstack.program.finite import check_held
from ttstack.program.records import Binary, Function, Tensor, TensorKind, Weight
from ttstack.support.files import replace_files
from ttstack.ttnn_python.loop_functions import weight_key
from ttstack.ttnn_python.program import emit_python

_USE = "a program in Python"
"""The owner that is recorded in the weights file."""


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
    """Write a function as Python, after its known weights, by name.

    Raises:
        UnsupportedOpError: lists all ops that have no call, or cannot be traced; nothing is written.
        ExecutionError: parameters that the program assumes to be finite are not.
        OutputError: a file cannot be written, or a weights file of something else exists.
    """
    check_held(binary, function)
    safetensors.check_use(weights, _USE)
    text = emit_python(binary, function, name, trace=trace, two_queues=two_queues)
    used = [(inside, inside.tensors[i]) for inside in function.with_loops for i in inside.inputs]
    found = [
        _held(binary.weights[t.holds.weight], t if inside is function else replace(t, name=weight_key(inside, t)))
        for inside, t in used
        if t.kind is not TensorKind.INPUT
    ]
    with replace_files(path, weights) as (code, values):
        code.write(text.encode())
        safetensors.write(values, [weight for weight in found if weight.data is not None], _USE)


def _held(weight: Weight, tensor: Tensor) -> Weight:
    """Return the weight in the function's stored form, by the name of the tensor."""
    if weight.data is None or (tensor.held is None and weight.type == tensor.type):
        return replace(weight, name=tensor.name)
    return replace(
        weight, name=tensor.name, type=tensor.type, data=tensor.holds.view(weight.data).reshape(tensor.type.shape)
    )
