"""Arrays in `.npz` files: what each is stands before its values, and is judged before they are read."""

import struct
import zipfile
import zlib
from collections.abc import Callable, Generator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from math import prod
from pathlib import Path
from tokenize import TokenError
from typing import IO, Any

import numpy as np

_FAULTS = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    LookupError,
    MemoryError,
    OverflowError,
    OSError,
    RecursionError,
    RuntimeError,
    SyntaxError,
    TypeError,
    ValueError,
    TokenError,
)
"""What Python's reader of zip archives, and NumPy's of headers, raise for a file that is not as it was written."""


class DamageError(Exception):
    """A file does not hold what was written."""


@contextmanager
def intact() -> Generator[None, None, None]:
    """Raise `DamageError` for what a reader finds at fault; for its calls alone, as it can also be ours."""
    try:
        yield
    except _FAULTS as fault:
        raise DamageError(str(fault)) from fault


_SUFFIX = ".npy"
_HEADERS = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}


@dataclass(frozen=True)
class StoredArray:
    """An array whose values are still in its file."""

    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    open: Callable[[], AbstractContextManager[IO[bytes]]]

    def read(self) -> np.ndarray[Any, Any]:
        """The values; raises `DamageError` where they are not those that were written."""
        with intact(), self.open() as stream:
            return np.lib.format.read_array(stream, allow_pickle=False)


def stored_arrays(archive: zipfile.ZipFile) -> Mapping[str, StoredArray]:
    """The arrays of an archive by name; raises `DamageError` where it holds anything else."""
    if min((info.header_offset for info in archive.infolist()), default=0):
        raise DamageError("it does not begin with an array")
    found = dict[str, StoredArray]()
    for info in archive.infolist():
        name = info.filename.removesuffix(_SUFFIX)
        if name in found or name == info.filename:
            raise DamageError(f"{info.filename!a} {'occurs twice' if name in found else 'is not an array'}")
        found[name] = _stored(archive, info)
    return found


def _stored(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> StoredArray:
    with intact(), archive.open(info) as stream:
        version = np.lib.format.read_magic(stream)
        if version not in _HEADERS:
            raise DamageError(f"{info.filename!a} is of version {version[0]}.{version[1]}")
        shape, _, dtype = _HEADERS[version](stream)
        values = info.file_size - stream.tell()
    needed = prod(shape) * dtype.itemsize
    if dtype.hasobject or any(extent < 0 for extent in shape) or needed != values:
        raise DamageError(f"{info.filename!a} holds {list(shape)} of {dtype} in {values:,} bytes")
    return StoredArray(shape, dtype, lambda: archive.open(info))


def is_array(path: Path) -> bool:
    """Whether it is one array, as `numpy.save` writes it."""
    with path.open("rb") as file:
        return file.read(len(np.lib.format.MAGIC_PREFIX)) == np.lib.format.MAGIC_PREFIX
