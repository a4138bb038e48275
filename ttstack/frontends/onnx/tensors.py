"""The data of an ONNX model's tensors: in the message, in its file or in other files, memory-mapped."""

from math import prod
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, numpy_helper

from ttstack.diagnostics import SourceError
from ttstack.frontends.given_shapes import shape_fault
from ttstack.support.whole_number import whole_number

Array = np.ndarray[Any, Any]

_TYPES = frozenset(TensorProto.DataType.values()) - {TensorProto.UNDEFINED}


def is_external(tensor: TensorProto) -> bool:
    """Return True if the data is stored outside of the message."""
    return tensor.data_location == TensorProto.EXTERNAL


class TensorReader:
    """The tensor values of one model file; files are mapped once."""

    def __init__(self, model: Path) -> None:
        self._model = model
        self._files: dict[Path, Array] = {}
        # A model in a cache may be a symbolic link, and its data another one to the same folder.
        self._folders = (model.parent.resolve(), model.resolve().parent)

    def check(self, tensor: TensorProto) -> None:
        """Raise `SourceError` for an unknown element type or an invalid shape."""
        if tensor.data_type not in _TYPES:
            raise self._fault(tensor, f"are of type {tensor.data_type}, which ONNX does not have")
        if fault := shape_fault(tensor.dims):
            raise self._fault(tensor, f"cannot be read: {fault}")

    def values(self, tensor: TensorProto) -> Array:
        """Return the elements, as a view of the file if they are external.

        Raises:
            SourceError: the file does not exist, is too short, or is outside of the model's folder; the number of
            elements differs from the shape, or ONNX does not have the element type.
        """
        self.check(tensor)
        if not is_external(tensor):
            try:
                return numpy_helper.to_array(tensor)
            except ValueError as e:
                raise self._fault(tensor, f"cannot be read: {e}") from e
        place = {entry.key: entry.value for entry in tensor.external_data}
        dtype = onnx.helper.tensor_dtype_to_np_dtype(tensor.data_type)
        nbytes = prod(tensor.dims) * dtype.itemsize
        begin = self._number(tensor, place, "offset", 0)
        if (stated := self._number(tensor, place, "length", nbytes)) != nbytes:
            shape = "x".join(map(str, tensor.dims))
            raise self._fault(tensor, f"has a stated length of {stated:,} bytes; {shape} of {dtype} takes {nbytes:,}")
        data = self._map_file(tensor, place.get("location", ""))
        if begin + nbytes > len(data):
            raise self._fault(
                tensor,
                f"ends at byte {begin + nbytes:,} of '{place['location']}', which has {len(data):,}",
                hint="the file is cut off, or of another export",
            )
        return data[begin : begin + nbytes].view(dtype).reshape(tensor.dims)

    def _number(self, tensor: TensorProto, place: dict[str, str], key: str, default: int) -> int:
        text = place.get(key, str(default))
        if (number := whole_number(text)) is None:
            raise self._fault(tensor, f"has the {key} '{text[:20]}'")
        return number

    def _map_file(self, tensor: TensorProto, location: str) -> Array:
        path = (self._model.parent / location).resolve()
        inside = location and not Path(location).is_absolute() and ".." not in Path(location).parts
        if not inside or not any(path.is_relative_to(folder) for folder in self._folders):
            raise self._fault(tensor, f"is at '{location}', which is not inside of the model's folder")
        if path not in self._files:
            if not path.is_file():
                raise self._fault(
                    tensor, f"is in '{location}', which does not exist", hint="keep the data next to the model"
                )
            empty = path.stat().st_size == 0
            self._files[path] = np.zeros(0, np.uint8) if empty else np.memmap(path, np.uint8, "r")
        return self._files[path]

    def _fault(self, tensor: TensorProto, what: str, hint: str | None = None) -> SourceError:
        return SourceError(f"the data of '{tensor.name}' {what}", loc=self._model, hint=hint)
