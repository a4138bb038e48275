"""Shapes from the user for inputs that a model leaves open."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from ttstack.diagnostics import SourceError
from ttstack.ops.shapes import check_shape
from ttstack.ops.types import TensorType

_EXTENTS = re.compile(r"(?:tensor<)?(\d+(?:x\d+)*)(?:x\w+)?>?")


def read_shape(value: Any) -> tuple[int, ...] | None:
    """Return the shape of an array, a `TensorType`, or a spec such as `(2, 64)`, `((2, 64), "f32")` or `"2x64xf32"`."""
    match value:
        case TensorType():
            return value.shape
        case str():
            match = _EXTENTS.fullmatch(value)
            return tuple(map(int, match[1].split("x"))) if match else None
        case (tuple() | list() as shape, str()):
            return read_shape(shape)
        case tuple() | list():
            return tuple(value) if all(isinstance(extent, int) and extent >= 0 for extent in value) else None
    shape = getattr(value, "shape", None)
    return None if shape is None else tuple(shape)


def shape_fault(shape: Sequence[int]) -> str:
    """Return why a shape is not valid for a tensor, or an empty string if it is."""
    try:
        check_shape(tuple(shape))
    except ValueError as e:
        return str(e)
    return ""


def values_by_name(inputs: object, names: Sequence[str], what: str) -> Mapping[str, Any]:
    """Return the user's values for the inputs of `what`, given by name or by position.

    Raises:
        SourceError: there are more values than inputs.
    """
    if inputs is None or isinstance(inputs, Mapping):
        return inputs or {}
    values = list(inputs) if isinstance(inputs, tuple | list) and read_shape(inputs) is None else [inputs]
    if len(values) > len(names):
        raise SourceError(f"{len(values)} inputs are given; {what} takes {len(names)}: {', '.join(names)}")
    return dict(zip(names, values, strict=False))
