"""Values of weights as bytes: in order, in pieces, without copies of what lies in order already."""

import hashlib
from collections.abc import Iterator
from typing import Any

import numpy as np

from ttstack.flatbuffer.container import CHUNK, Bytes
from ttstack.ops.types import TensorType
from ttstack.program.records import Weight

Array = np.ndarray[Any, Any]


def value_bytes(t: TensorType) -> int:
    """Bytes of the values of a weight in a file."""
    return t.size * t.dtype.numpy.itemsize


def values_of(weight: Weight) -> Array:
    """The values of a weight; raises `ValueError` where they are not of its type."""
    values, t = weight.data, weight.type
    if values is None:
        raise ValueError(f"weight {weight.name!r} has no values")
    if values.dtype != t.dtype.numpy or values.shape != t.shape:
        found = f"{values.dtype.name}{list(values.shape)}"
        raise ValueError(f"weight {weight.name!r} is {t}, its values are {found}")
    return values


def pieces(values: Array) -> Iterator[memoryview]:
    """The bytes of the elements in row-major order."""
    flat = np.ascontiguousarray(values).reshape(-1).view(np.uint8)
    for start in range(0, flat.size, CHUNK):
        yield flat[start : start + CHUNK].data


def digest(values: Array) -> str:
    """SHA-256 of the bytes, in hexadecimal."""
    sha256 = hashlib.sha256()
    for piece in pieces(values):
        sha256.update(piece)
    return sha256.hexdigest()


def from_bytes(raw: Bytes, t: TensorType) -> Array:
    """The elements that these bytes are."""
    return raw.view(t.dtype.numpy).reshape(t.shape)
