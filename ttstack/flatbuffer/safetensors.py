"""The safetensors format, written and read without more than one tensor in memory.

A file is 8 bytes of little-endian length, a JSON header with type, shape and byte range of every tensor, and the bytes
of all tensors (https://github.com/huggingface/safetensors#format). The package of that name copies data into memory and
does not support bf16 for NumPy.
"""

import hashlib
import json
import os
import stat
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import accumulate
from pathlib import Path
from typing import Any, BinaryIO, cast

import numpy as np

from ttstack.diagnostics import BinaryFormatError, OutputError
from ttstack.flatbuffer import container
from ttstack.flatbuffer.arrays import Array, from_bytes, pieces, value_bytes, values_of
from ttstack.flatbuffer.container import ALIGNMENT, Bytes
from ttstack.ops.types import DType, TensorType
from ttstack.program.records import Weight

_OWNER = "ttstack"
"""The metadata key that marks ttstack's files and their use."""
_NAMES = {"bool": "BOOL", "bfloat16": "BF16"}
_ELEMENTS = (
    *(DType.F64, DType.F32, DType.F16, DType.BF16, DType.I1),
    *(DType.I8, DType.UI8, DType.I16, DType.UI16, DType.I32, DType.UI32, DType.I64, DType.UI64),
)
"""Element types with different storage."""


def type_name(dtype: np.dtype[Any]) -> str:
    """Return the safetensors name of an element type: F32, I8, U16, BF16, BOOL."""
    return _NAMES.get(dtype.name) or f"{dtype.kind.upper()}{8 * dtype.itemsize}"


@cache
def _dtypes() -> dict[str, DType]:
    """Return element types by their safetensors names."""
    return {type_name(dtype.numpy): dtype for dtype in _ELEMENTS}


def write(file: BinaryIO, weights: Sequence[Weight], use: str = "") -> dict[str, str]:
    """Write the values of all weights by name, and their use; return the SHA-256 of each."""
    text = _header_text(weights, use)
    file.write(len(text).to_bytes(8, "little") + text)
    return {weight.name: _write_values(file, weight) for weight in weights}


def offsets(weights: Sequence[Weight], use: str = "") -> dict[str, int]:
    """Return the offset of each weight's values in the file of `write`."""
    begins = accumulate((value_bytes(w.type) for w in weights), initial=8 + len(_header_text(weights, use)))
    return {w.name: at for w, at in zip(weights, begins, strict=False)}


def check_use(path: Path, use: str) -> None:
    """Raise an error if a file exists that is not ttstack's weights file of the same use.

    Raises:
        OutputError: there is such a file.
    """
    if path.exists() and (said := use_of(path)) != use:
        whose = f"holds the weights of {said}" if said is not None else "is not a file of ttstack's"
        raise OutputError(
            f"'{path}' {whose}: the weights of {use} would replace it",
            hint="move it, or give another name to the output",
        )


def use_of(path: Path) -> str | None:
    """Return the recorded use of a file; None if it is missing or not a file of ttstack."""
    try:
        said = _header(map_file(path))[1]["__metadata__"][_OWNER]
    except (BinaryFormatError, ValueError, TypeError, KeyError, RecursionError):
        return None
    return said if isinstance(said, str) else None


def _header_text(weights: Sequence[Weight], use: str) -> bytes:
    header, offset = dict[str, Any]({"__metadata__": {_OWNER: use}} if use else {}), 0
    for weight in weights:
        end = offset + value_bytes(weight.type)
        header[weight.name] = {
            "dtype": type_name(weight.type.dtype.numpy),
            "shape": weight.type.shape,
            "data_offsets": (offset, end),
        }
        offset = end
    text = json.dumps(header, separators=(",", ":")).encode()
    return text + b" " * (-(8 + len(text)) % ALIGNMENT)


def write_arrays(file: BinaryIO, arrays: Mapping[str, Array], use: str = "") -> None:
    """Write arrays by name, and their use."""
    types = {name: TensorType(a.shape, _dtypes()[type_name(a.dtype)]) for name, a in arrays.items()}
    write(file, [Weight(name, t, arrays[name]) for name, t in types.items()], use)


def read_arrays(path: Path) -> dict[str, Array]:
    """Return all arrays of a file by name, mapped.

    Raises:
        BinaryFormatError: the file does not exist, is damaged, or has unsupported element types.
    """
    content, found = map_file(path), dict[str, Array]()
    try:
        names = {name: entry for name, entry in _header(content)[1].items() if name != "__metadata__"}
        types = {name: TensorType(_wholes(e["shape"]), _dtypes()[e["dtype"]]) for name, e in names.items()}
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise BinaryFormatError(f"it is not in safetensors format: {error}", loc=path) from error
    for name, t in types.items():
        found[name] = read(path, content, name, t)
    return found


def _write_values(file: BinaryIO, weight: Weight) -> str:
    digest = hashlib.sha256()
    for piece in pieces(values_of(weight)):
        file.write(piece)
        digest.update(piece)
    return digest.hexdigest()


def map_file(path: Path) -> Bytes:
    """Return all bytes of a weights file, mapped.

    Raises:
        BinaryFormatError: the file does not exist, or cannot be read.
    """
    try:
        with open(path, "rb", opener=_without_waiting) as file:
            found = os.fstat(file.fileno())
            if not stat.S_ISREG(found.st_mode):
                raise BinaryFormatError("this is not a regular file, which weights need", loc=path)
            return container.map_bytes(file, 0, found.st_size)
    except FileNotFoundError as error:
        raise BinaryFormatError(
            "the file with the program's weights is missing",
            loc=path,
            hint="copy it next to the .ttb file, or compile with inline weights",
        ) from error
    except OSError as error:
        raise BinaryFormatError(f"this file cannot be read: {error.strerror}", loc=path) from error


def _without_waiting(path: str, flags: int) -> int:
    """Open a file without waiting, as a pipe would wait for a writer."""
    return os.open(path, flags | os.O_NONBLOCK)


def read(path: Path, content: Bytes, name: str, t: TensorType) -> Array:
    """Return the values of one tensor in the bytes of the file at `path`, without copies.

    Raises:
        BinaryFormatError: the file is damaged, or has no tensor of that name and type.
    """
    try:
        start, entries = _header(content)
        entry = entries[name]
        low, high = _wholes(entry["data_offsets"])
        found = entry["dtype"], _wholes(entry["shape"]), high - low
    except KeyError as error:
        raise damaged_error(path, name, f"it has no {error}") from error
    except (ValueError, TypeError, RecursionError) as error:
        raise damaged_error(path, name, f"it is not in safetensors format: {error}") from error
    if found != (type_name(t.dtype.numpy), t.shape, value_bytes(t)):
        raise damaged_error(path, name, f"expected {t}, found {found[0]} {list(found[1])} in {found[2]} bytes")
    if start + high > content.size:
        raise damaged_error(path, name, f"expected {start + high:,} bytes, found {content.size:,}")
    if low == high:
        return np.zeros(t.shape, t.dtype.numpy)
    return from_bytes(content[start + low : start + high], t)


def _header(content: Bytes) -> tuple[int, dict[str, Any]]:
    """Return the start of the values, and the entries by name."""
    length = int.from_bytes(content[:8].tobytes(), "little")
    if length > content.size:
        raise ValueError(f"a header of {length:,} bytes is longer than the file")
    entries = json.loads(content[8 : 8 + length].tobytes())
    if not isinstance(entries, dict):
        raise ValueError("its header is not a JSON object")
    return 8 + length, cast(dict[str, Any], entries)


def _wholes(values: Any) -> tuple[int, ...]:
    wholes = cast(list[Any], values)
    if not isinstance(values, list) or any(type(value) is not int or value < 0 for value in wholes):
        raise ValueError(f"{wholes} are not whole numbers")
    return tuple(wholes)


def damaged_error(path: Path, name: str, why: str) -> BinaryFormatError:
    """Return the error for a separate file that differs from the one saved with the `.ttb`."""
    return BinaryFormatError(
        f"weight '{name}' is not as it was when the program was saved",
        loc=path,
        notes=(why,),
        hint="copy the .ttb file and its weights file again, together, or compile the model again",
    )
