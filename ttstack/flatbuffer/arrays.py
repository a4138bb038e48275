"""Values of weights as bytes: in row-major order, in pieces, without copies of contiguous arrays."""

import hashlib
from collections.abc import Iterator
from typing import Any

import numpy as np

from ttstack.flatbuffer.container import CHUNK, Bytes
from ttstack.ops.types import TensorType
from ttstack.program.records import Weight

Array = np.ndarray[Any, Any]


def value_bytes(t: TensorType) -> int:
    """Return the bytes of a weight's values in a file."""
    return t.size * t.dtype.numpy.itemsize


def values_of(weight: Weight) -> Array:
    """Return the values of a weight; raise `ValueError` if they are not of its type."""
    values, t = weight.data, weight.type
    if values is None:
        raise ValueError(f"weight {weight.name!r} has no values")
    if values.dtype != t.dtype.numpy or values.shape != t.shape:
        found = f"{values.dtype.name}{list(values.shape)}"
        raise ValueError(f"weight {weight.name!r} is {t}, its values are {found}")
    return values


def pieces(values: Array) -> Iterator[memoryview]:
    """Yield the bytes of the elements in row-major order."""
    flat = np.ascontiguousarray(values).reshape(-1).view(np.uint8)
    for start in range(0, flat.size, CHUNK):
        yield flat[start : start + CHUNK].data


def digest(values: Array) -> str:
    """Return the SHA-256 of the bytes, in hexadecimal."""
    sha256 = hashlib.sha256()
    for piece in pieces(values):
        sha256.update(piece)
    return sha256.hexdigest()


def from_bytes(raw: Bytes, t: TensorType) -> Array:
    """Return the elements of these bytes."""
    return raw.view(t.dtype.numpy).reshape(t.shape)
