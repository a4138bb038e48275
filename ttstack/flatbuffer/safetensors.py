"""The safetensors format, written and read without holding more than one tensor in memory.

A file is 8 bytes of little-endian length, a JSON header with type, shape and byte range of every tensor, and
the bytes of all tensors (https://github.com/huggingface/safetensors#format). The package of that name copies
what it reads into memory and has no bf16 for NumPy.
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
"""What says in a file's metadata that we wrote it, and for which use."""
_NAMES = {"bool": "BOOL", "bfloat16": "BF16"}
_ELEMENTS = (
    *(DType.F64, DType.F32, DType.F16, DType.BF16, DType.I1),
    *(DType.I8, DType.UI8, DType.I16, DType.UI16, DType.I32, DType.UI32, DType.I64, DType.UI64),
)
"""Element types whose values are held in different ways."""


def type_name(dtype: np.dtype[Any]) -> str:
    """How safetensors spells an element type: F32, I8, U16, BF16, BOOL."""
    return _NAMES.get(dtype.name) or f"{dtype.kind.upper()}{8 * dtype.itemsize}"


@cache
def _dtypes() -> dict[str, DType]:
    """Element types by how safetensors spells them."""
    return {type_name(dtype.numpy): dtype for dtype in _ELEMENTS}


def write(file: BinaryIO, weights: Sequence[Weight], use: str = "") -> dict[str, str]:
    """Write the values of all weights under their names, and whose they are; gives the SHA-256 of each."""
    text = _header_text(weights, use)
    file.write(len(text).to_bytes(8, "little") + text)
    return {weight.name: _write_values(file, weight) for weight in weights}


def offsets(weights: Sequence[Weight], use: str = "") -> dict[str, int]:
    """Where the values of each weight begin in the file that `write` makes of them."""
    begins = accumulate((value_bytes(w.type) for w in weights), initial=8 + len(_header_text(weights, use)))
    return {w.name: at for w, at in zip(weights, begins, strict=False)}


def check_use(path: Path, use: str) -> None:
    """A file of weights may take the place of another of the same use: of no other, and of none that is not ours.

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
    """Return whose weights a file says that it holds, or None if it is missing or not a file of ttstack's."""
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
    """Write arrays by name, and whose they are."""
    types = {name: TensorType(a.shape, _dtypes()[type_name(a.dtype)]) for name, a in arrays.items()}
    write(file, [Weight(name, t, arrays[name]) for name, t in types.items()], use)


def read_arrays(path: Path) -> dict[str, Array]:
    """All arrays of a file by name, mapped.

    Raises:
        BinaryFormatError: there is no such file, it is damaged, or has element types that are none of ours.
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
    """All bytes of a weights file, mapped.

    Raises:
        BinaryFormatError: there is no such file, or it cannot be read.
    """
    try:
        with open(path, "rb", opener=_without_waiting) as file:
            found = os.fstat(file.fileno())
            if not stat.S_ISREG(found.st_mode):
                raise BinaryFormatError("this is not a regular file, as weights need", loc=path)
            return container.map_bytes(file, 0, found.st_size)
    except FileNotFoundError as error:
        raise BinaryFormatError(
            "the file with the program's weights is missing",
            loc=path,
            hint="copy it beside the .ttb file, or compile with the weights inside",
        ) from error
    except OSError as error:
        raise BinaryFormatError(f"this file cannot be read: {error.strerror}", loc=path) from error


def _without_waiting(path: str, flags: int) -> int:
    """Open a pipe at once, too: it would wait for a writer."""
    return os.open(path, flags | os.O_NONBLOCK)


def read(path: Path, content: Bytes, name: str, t: TensorType) -> Array:
    """The values of one tensor in the bytes of the file at `path`, without copies.

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
    """Where the values start, and the entries by name."""
    length = int.from_bytes(content[:8].tobytes(), "little")
    if length > content.size:
        raise ValueError(f"a header of {length:,} bytes is longer than the file")
    entries = json.loads(content[8 : 8 + length].tobytes())
    if not isinstance(entries, dict):
        raise ValueError("its header is no JSON object")
    return 8 + length, cast(dict[str, Any], entries)


def _wholes(values: Any) -> tuple[int, ...]:
    wholes = cast(list[Any], values)
    if not isinstance(values, list) or any(type(value) is not int or value < 0 for value in wholes):
        raise ValueError(f"{wholes} are no whole numbers")
    return tuple(wholes)


def damaged_error(path: Path, name: str, why: str) -> BinaryFormatError:
    """The error for a file beside a `.ttb` that is not the one it was saved with."""
    return BinaryFormatError(
        f"weight '{name}' is not as it was when the program was saved",
        loc=path,
        notes=(why,),
        hint="copy the .ttb file and the file beside it again, together; or compile the model again",
    )
