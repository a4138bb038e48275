"""Conversion of PyTorch and JAX tensors to arrays and back, without importing the framework."""

import sys
from collections.abc import Callable, Iterable
from typing import Any

import ml_dtypes
import numpy as np

Array = np.ndarray[Any, Any]


def to_array(value: object) -> Array:
    """Return a tensor, array, list or number as an array; host memory is shared, not copied."""
    torch: Any = sys.modules.get("torch")
    tensor: Any = value
    if torch is None or not isinstance(tensor, torch.Tensor):
        return np.asarray(tensor)
    host: Any = tensor.detach().cpu()  # pyright: ignore[reportUnknownMemberType]
    return host.view(torch.uint16).numpy().view(ml_dtypes.bfloat16) if host.dtype == torch.bfloat16 else host.numpy()


def to_torch(array: Array) -> Any:
    """Return a copy of an array as a PyTorch tensor; PyTorch must be imported.

    Raises:
        TypeError: PyTorch does not have the element type.
    """
    torch: Any = sys.modules["torch"]
    if array.dtype == ml_dtypes.bfloat16:
        return torch.from_numpy(array.view(np.uint16).copy()).view(torch.bfloat16)
    return torch.from_numpy(np.array(array))


def converter_to_kind(values: Iterable[object]) -> Callable[[Array], Any]:
    """Return a function from an array to a tensor of the first value's framework; the identity for arrays."""
    for value in values:
        framework = type(value).__module__.partition(".")[0]
        if framework == "torch" or "torch" in {base.__module__ for base in type(value).__mro__}:
            return to_torch
        if framework in ("jax", "jaxlib"):
            return sys.modules["jax"].numpy.asarray
    return lambda array: array
