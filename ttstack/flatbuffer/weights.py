"""Weights in files: location and lookup of their values."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from ttstack.diagnostics import BinaryFormatError
from ttstack.flatbuffer import safetensors
from ttstack.flatbuffer._generated.binary_generated import Storage
from ttstack.flatbuffer.arrays import Array, digest, from_bytes, pieces, value_bytes, values_of
from ttstack.flatbuffer.container import ALIGNMENT, Bytes, align
from ttstack.flatbuffer.encode import WeightLocation
from ttstack.ops.types import TensorType
from ttstack.program.records import Weight


class StoredWeight(Weight):
    """A weight with values in a file, mapped and checked on first use of `data`."""

    def __init__(self, name: str, type: TensorType, sha256: str, read: Callable[[], Array]) -> None:  # noqa: A002
        fields: dict[str, Any] = {"name": name, "type": type, "sha256": sha256, "_read": read}
        self.__dict__.update(fields)

    @cached_property
    def data(self) -> Array:  # pyright: ignore[reportIncompatibleVariableOverride]
        """The values, read-only; raises `BinaryFormatError` if the file is missing or altered."""
        return self.__dict__["_read"]()

    def __repr__(self) -> str:
        return f"StoredWeight({self.name!r}, {self.type}, sha256={self.sha256!r})"


@dataclass(frozen=True)
class WeightsSection:
    """The weights section of a file to write: weights in order, each at its offset."""

    weights: Sequence[Weight]

    @cached_property
    def places(self) -> dict[str, WeightLocation]:
        """The offset and hash of each weight."""
        places, offset = dict[str, WeightLocation](), 0
        for weight in self.weights:
            places[weight.name] = WeightLocation(Storage.INLINE, offset, digest(values_of(weight)))
            offset = align(offset + value_bytes(weight.type))
        return places

    @property
    def nbytes(self) -> int:
        """Bytes of the section."""
        return sum(align(value_bytes(w.type)) for w in self.weights)

    def __iter__(self) -> Iterator[Any]:
        for weight in self.weights:
            yield from pieces(values_of(weight))
            yield bytes(-value_bytes(weight.type) % ALIGNMENT)


@dataclass(frozen=True)
class Finder:
    """Finds the values of a `.ttb` file's weights, and maps the separate file even if it is renamed."""

    path: Path
    section: Bytes
    _beside: dict[str, Bytes | None] = field(default_factory=dict[str, Bytes | None])

    def __call__(self, name: str, t: TensorType, place: WeightLocation, beside: str) -> Weight:
        """Return the weight of that name; raise `ValueError` for an invalid location."""
        match place.storage:
            case Storage.ABSENT:
                return Weight(name, t)
            case Storage.INLINE:
                raw = self.section[place.offset : place.offset + value_bytes(t)]
                return Weight(name, t, from_bytes(raw, t), place.sha256)
            case Storage.BESIDE:
                if Path(beside).name != beside:
                    raise ValueError(f"the weights file {beside!r} is not in the program's folder")
                self._map(beside)
                return StoredWeight(name, t, place.sha256, lambda: self._read(name, t, place, beside))
            case _:
                raise ValueError(f"weight {name!r} is stored in no known way")

    @property
    def misses_any(self) -> bool:
        """True if a separate file did not exist during decoding."""
        return any(content is None for content in self._beside.values())

    def _map(self, beside: str) -> Bytes | None:
        """Return the separate file, mapped once for all weights; None if it does not exist."""
        if beside not in self._beside:
            try:
                self._beside[beside] = safetensors.map_file(self._place(beside))
            except BinaryFormatError:
                self._beside[beside] = None
        return self._beside[beside]

    def _place(self, beside: str) -> Path:
        """Return its path in the folder of the given path or, for a link, of the file itself."""
        given = self.path.with_name(beside)
        return given if given.exists() else self.path.resolve().with_name(beside)

    def _read(self, name: str, t: TensorType, place: WeightLocation, beside: str) -> Array:
        path, content = self._place(beside), self._map(beside)
        values = safetensors.read(path, safetensors.map_file(path) if content is None else content, name, t)
        found = digest(values)
        if found != place.sha256:
            raise safetensors.damaged_error(path, name, f"SHA-256 recorded {place.sha256}, found {found}")
        return values
