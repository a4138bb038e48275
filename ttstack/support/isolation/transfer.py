"""Transfer of values from a child process to its parent: pickled, with arrays in shared memory or mapped files."""

import mmap
import os
import pickle
from io import BytesIO
from typing import Any, BinaryIO, cast

import numpy as np

Array = np.ndarray[Any, Any]

_HEADER = 16
"""Bytes before the arrays: start and end of the pickle, zero until it is complete."""
_ALIGNMENT = 64


def write_value(file: BinaryIO, value: object) -> None:
    """Write a value to an empty file that another process maps; arrays of mapped files are written as references."""
    file.seek(_HEADER)
    pickled = BytesIO()
    _Pickler(pickled, file).dump(value)
    begin = file.tell()
    end = begin + file.write(pickled.getvalue())
    file.flush()
    os.pwrite(file.fileno(), begin.to_bytes(8, "little") + end.to_bytes(8, "little"), 0)


def read_value(file: BinaryIO) -> Any:
    """Return the value of `write_value`; arrays are private views of the file.

    Raises:
        EOFError: nothing was written, or not completely.
    """
    if os.fstat(file.fileno()).st_size < _HEADER:
        raise EOFError
    memory = np.frombuffer(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY), np.uint8)
    begin, end = (int(n) for n in memory[:_HEADER].view("<u8"))
    if not begin:
        raise EOFError
    return _Unpickler(memory[begin:end].tobytes(), memory).load()


class _Pickler(pickle.Pickler):
    def __init__(self, pickled: BytesIO, file: BinaryIO) -> None:
        super().__init__(pickled, protocol=5)
        self._file = file

    def persistent_id(self, obj: Any) -> tuple[str, int, np.dtype, tuple[int, ...]] | None:
        """Return the location of an array: its mapped file, or the shared file with an empty name."""
        if not isinstance(obj, np.ndarray):
            return None
        array = cast(Array, obj)
        if array.dtype.hasobject or not array.nbytes:
            return None
        place = _mapped(array) if array.flags.c_contiguous else None
        if place is None:
            begin = -(-self._file.tell() // _ALIGNMENT) * _ALIGNMENT
            self._file.seek(begin)
            self._file.write(np.ascontiguousarray(array).reshape(-1).view(np.uint8).data)
            place = "", begin
        name, begin = place
        return name, begin, array.dtype, array.shape


class _Unpickler(pickle.Unpickler):
    def __init__(self, pickled: bytes, memory: Array) -> None:
        super().__init__(BytesIO(pickled))
        self._files = {"": memory}

    def persistent_load(self, pid: tuple[str, int, np.dtype, tuple[int, ...]]) -> Array:
        """Return the array at a location."""
        name, begin, dtype, shape = pid
        if name not in self._files:
            self._files[name] = np.memmap(name, np.uint8, "r")
        nbytes = dtype.itemsize * int(np.prod(shape, dtype=np.int64))
        return self._files[name][begin : begin + nbytes].view(dtype).reshape(shape)


def _mapped(array: Array) -> tuple[str, int] | None:
    """Return the file that the array is a view of, and its offset there."""
    root: Any = array
    while isinstance(root, np.ndarray) and not isinstance(root.base, mmap.mmap):
        root = root.base
    file = cast(Any, root) if isinstance(root, np.memmap) else None
    if file is None or file.filename is None:
        return None
    return str(file.filename), _address(array) - _address(file) + file.offset


def _address(array: Array) -> int:
    return array.__array_interface__["data"][0]
