"""Example inputs for tracing: tensors, arrays converted to tensors, and tensors of given shapes."""

import re
from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from torch.utils import _pytree as pytree

from ttstack.diagnostics import SourceError
from ttstack.frontends.torch.signature import DTYPES
from ttstack.ops.types import TensorType
from ttstack.support.tensors import to_torch
from ttstack.support.whole_number import whole_number

_SPELLED = re.compile(r"(?:tensor<)?((?:\d+x)*)(\w+)>?")
_TORCH_TYPES = {str(dtype): spelled for spelled, dtype in DTYPES.items()}


def split_inputs(inputs: object) -> tuple[tuple[Any, ...], Mapping[str, Any]]:
    """Return example inputs as (args, kwargs): a tuple or list by position, a mapping by name, or one argument.

    A shape stands for a tensor: `(32, 256)`, `((32, 256), "bf16")`, `"32x256xbf16"` or a `TensorType`; the default
    element type is float32. Next to tensors, tuples of integers are ordinary arguments.

    Raises:
        SourceError: a shape has a negative extent, or an element type that PyTorch does not have.
    """
    if _is_shape(inputs):
        inputs = (inputs,)
    if isinstance(inputs, Mapping):
        return (), tensors(inputs)
    return tensors(tuple(inputs) if isinstance(inputs, tuple | list) else (inputs,)), {}


def tensors(inputs: Any) -> Any:
    """Return the structure with tensors in place of arrays, and of shapes if it has neither tensors nor arrays."""
    leaves = pytree.tree_leaves(inputs)
    if any(isinstance(leaf, torch.Tensor | np.ndarray) for leaf in leaves):
        return _without_repetitions(pytree.tree_map_only(np.ndarray, _from_numpy, inputs))
    return pytree.tree_map(lambda x: _zeros(x) if _is_shape(x) else x, inputs, is_leaf=_is_shape)


def _without_repetitions(inputs: Any) -> Any:
    """Copy tensors that occur twice, as torch.export identifies inputs by object."""
    seen: set[int] = set()

    def own(tensor: torch.Tensor) -> torch.Tensor:
        repeated = id(tensor) in seen
        seen.add(id(tensor))
        return tensor.detach().clone() if repeated else tensor

    return pytree.tree_map_only(torch.Tensor, own, inputs)


def _is_shape(value: object) -> bool:
    match value:
        case TensorType():
            return True
        case str():
            match = _SPELLED.fullmatch(value)
            return match is not None and (bool(match[1]) or value.startswith("tensor<"))
        case (tuple() | list() as shape, str() | torch.dtype()):
            return _is_extents(shape)
        case tuple() | list():
            return _is_extents(value)
    return False


def _is_extents(value: tuple[Any, ...] | list[Any]) -> bool:
    return bool(value) and all(isinstance(x, int) and not isinstance(x, bool) for x in value)


def _zeros(described: Any) -> torch.Tensor:
    shape, dtype = _describe(described)
    if any(extent < 0 for extent in shape):
        raise SourceError(f"the shape {shape} has a negative extent", hint="give every dimension an extent")
    return torch.zeros(shape, dtype=dtype)


def _describe(value: Any) -> tuple[tuple[int, ...], torch.dtype]:
    match value:
        case TensorType():
            return value.shape, _torch_type(str(value.dtype))
        case str():
            return _spell(value)
        case (tuple() | list() as shape, torch.dtype() as dtype):
            return tuple(shape), dtype
        case (tuple() | list() as shape, str() as name):
            return tuple(shape), _torch_type(name)
    return tuple(value), torch.float32


def _spell(text: str) -> tuple[tuple[int, ...], torch.dtype]:
    """Parse `32x256`, `32x256xbf16` or `tensor<32x256xbf16>`."""
    match = _SPELLED.fullmatch(text)
    extents, last = (match[1], match[2]) if match else ("", text)
    shape = tuple(int(extent) for extent in extents.split("x")[:-1])
    extent = whole_number(last)
    return (shape, _torch_type(last)) if extent is None else ((*shape, extent), torch.float32)


def _torch_type(name: str) -> torch.dtype:
    """Return the type for `f32`, `bf16`, `i64` as in TTIR, or PyTorch's `float32`, `torch.int64`."""
    short = name.removeprefix("s") if name.startswith("si") else name
    found = _TORCH_TYPES.get(short) or getattr(torch, name.removeprefix("torch."), None)
    if not isinstance(found, torch.dtype) or found not in DTYPES:
        raise SourceError(f"no input can be of type '{name}'", hint=f"use one of {', '.join(_TORCH_TYPES)}")
    return found


def _from_numpy(array: np.ndarray[Any, Any]) -> torch.Tensor:
    """Copy an array to a tensor, as PyTorch does not support read-only memory."""
    try:
        return to_torch(array)
    except TypeError as e:
        raise SourceError(f"an input is an array of {array.dtype}, which PyTorch lacks") from e
