"""Inputs with static shapes, from the model or the user."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from onnx import GraphProto, TypeProto, ValueInfoProto

from ttstack.diagnostics import SourceError
from ttstack.frontends.given_shapes import read_shape, shape_fault, values_by_name
from ttstack.frontends.onnx.types import DTYPES, extents, spell, static_shape
from ttstack.frontends.onnx_to_ttir.element_types import NARROW


def graph_inputs(graph: GraphProto) -> list[ValueInfoProto]:
    """Return the inputs without an initial value."""
    initialised = {tensor.name for tensor in graph.initializer}
    return [value for value in graph.input if value.name not in initialised]


def fix_shapes(graph: GraphProto, inputs: object, path: Path) -> None:
    """Write the user's shapes, by name or by position, into the graph's inputs.

    Raises:
        SourceError: an input has no known shape, a given shape does not fit, or there is no such input; lists all.
    """
    values = {value.name: value for value in graph_inputs(graph)}
    given = values_by_name(inputs, list(values), f"'{path}'")
    faults = [f"there is no input '{name}'" for name in given if name not in values]
    for name, value in values.items():
        fault = _fix(value.type, given[name]) if name in given else _unknown(value.type)
        faults += [f"input '{name}' {fault}"] if fault else []
    if faults:
        what = f"the inputs of '{path}' cannot be compiled as they are"
        raise SourceError(what, notes=tuple(faults), hint=_how_to_give(values))


def _how_to_give(values: Mapping[str, ValueInfoProto]) -> str | None:
    if any(_is_foreign(value.type) for value in values.values()):
        return None
    shapes = ", ".join(f'"{name}": ({", ".join(extents(v.type))})' for name, v in values.items())
    options = " ".join(f"--input {name}={'x'.join(extents(v.type))}" for name, v in values.items())
    return f"every extent must be known: give inputs={{{shapes}}}, or {options}, with numbers"


def _is_foreign(value: TypeProto) -> bool:
    """Return True if no shape makes it a supported input."""
    if shape_fault(static_shape(value) or ()):
        return True
    return not value.HasField("tensor_type") or not _is_element_type(value.tensor_type.elem_type)


def _is_element_type(number: int) -> bool:
    return number in DTYPES or number in NARROW


def _unknown(value: TypeProto) -> str:
    if not value.HasField("tensor_type") or not _is_element_type(value.tensor_type.elem_type):
        is_tensor = value.HasField("tensor_type")
        return "has an element type that no device has" if is_tensor else f"is a {value.WhichOneof('value')}, no tensor"
    shape = static_shape(value)
    if shape is None:
        return f"is {spell(value)}"
    fault = shape_fault(shape)
    return f"cannot be given: {fault}" if fault else ""


def _fix(value: TypeProto, given: Any) -> str:
    shape = read_shape(given)
    if shape is None:
        return f"is given as {given!r}, which is not a shape"
    tensor = value.tensor_type
    dims = tensor.shape.dim
    declared = [d.dim_value if d.HasField("dim_value") else None for d in dims]
    fits = len(shape) == len(declared) and all(d in (None, e) for d, e in zip(declared, shape, strict=True))
    if tensor.HasField("shape") and not fits:
        return f"is {spell(value)} in the model, and given as {'x'.join(map(str, shape))}"
    del dims[:]
    for extent in shape:
        dims.add().dim_value = extent
    return _unknown(value)
