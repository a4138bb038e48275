"""An ONNX file without the data of its large tensors, which become references into the file.

Protobuf's own parser copies everything; its input is then small for any size of weights. The wire format:
https://protobuf.dev/programming-guides/encoding; the field numbers: `onnx.proto3` of ONNX.
"""

from collections.abc import Iterator, Mapping
from typing import TypeAlias

LARGE_BYTES = 1024
"""Data of tensors from this size on stays in the file."""

Fields: TypeAlias = Mapping[int, "Fields"]
"""Messages that may contain large tensors, by field number."""

_RAW_DATA, _EXTERNAL_DATA, _DATA_LOCATION = 9, 13, 14
_TENSOR: dict[int, Fields] = {}
_GRAPH: dict[int, Fields] = {5: _TENSOR}
_ATTRIBUTE: dict[int, Fields] = {5: _TENSOR, 6: _GRAPH}
_GRAPH[1] = {5: _ATTRIBUTE}
_MODEL: dict[int, Fields] = {7: _GRAPH}

_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5


def skeleton(data: memoryview, location: str) -> bytes:
    """Return the model with `location`, offset and length in place of the data of its large tensors.

    Raises:
        ValueError: it is truncated, or not a protobuf message.
    """
    return b"".join(_rewritten(data, 0, len(data), _MODEL, location))


def _rewritten(data: memoryview, begin: int, end: int, inside: Fields, location: str) -> Iterator[bytes | memoryview]:
    for number, wire, start, payload, stop in _fields(data, begin, end):
        large = wire == _BYTES and stop - payload >= LARGE_BYTES
        if large and inside is _TENSOR and number == _RAW_DATA:
            yield _reference(location, payload, stop - payload)
        elif large and number in inside:
            yield _message(number, b"".join(_rewritten(data, payload, stop, inside[number], location)))
        else:
            yield data[start:stop]


def _fields(data: memoryview, at: int, end: int) -> Iterator[tuple[int, int, int, int, int]]:
    """Yield number, wire type, and the start of field, payload and next field."""
    while at < end:
        key, payload = _varint(data, at, end)
        if key & 7 == _VARINT:
            _, stop = _varint(data, payload, end)
        elif key & 7 == _BYTES:
            length, payload = _varint(data, payload, end)
            stop = payload + length
        elif key & 7 in (_FIXED32, _FIXED64):
            stop = payload + (4 if key & 7 == _FIXED32 else 8)
        else:
            raise ValueError(f"byte {at} begins no field")
        if stop > end:
            raise ValueError(f"it is cut off: the field at byte {at} needs {stop - end} more bytes")
        yield key >> 3, key & 7, at, payload, stop
        at = stop


def _varint(data: memoryview, at: int, end: int) -> tuple[int, int]:
    value = shift = 0
    for i in range(at, min(end, at + 10)):
        value |= (data[i] & 0x7F) << shift
        if data[i] < 0x80:
            return value, i + 1
        shift += 7
    raise ValueError(f"it is cut off at byte {at}" if end - at < 10 else f"byte {at} begins no number")


def _reference(location: str, offset: int, length: int) -> bytes:
    entries = {"location": location, "offset": str(offset), "length": str(length)}
    pairs = (_message(1, k.encode()) + _message(2, v.encode()) for k, v in entries.items())
    return b"".join(_message(_EXTERNAL_DATA, pair) for pair in pairs) + bytes([_DATA_LOCATION << 3, 1])


def _message(number: int, payload: bytes) -> bytes:
    return _encode(number << 3 | _BYTES) + _encode(len(payload)) + payload


def _encode(value: int) -> bytes:
    found = bytearray()
    while value > 0x7F:
        found.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes((*found, value))
