"""Tensors, and the names of formats, layouts and memories."""

from collections.abc import Sequence
from enum import Enum, StrEnum, auto
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


class DataType(Enum):
    """Element formats: reals are held in float64, whatever their format, integers in int64 after they wrapped."""

    BFLOAT16 = auto()
    FLOAT32 = auto()
    BFLOAT8_B = auto()
    BFLOAT4_B = auto()
    INT32 = auto()
    UINT32 = auto()
    UINT16 = auto()
    UINT8 = auto()

    @property
    def is_real(self) -> bool:
        """Whether numbers have fractions."""
        return self.name.startswith(("BFLOAT", "FLOAT"))

    @property
    def bits(self) -> int:
        """How many bits an integer has."""
        return int(self.name.partition("INT")[2])

    def hold(self, values: Any) -> Array:
        """Numbers as a tensor of this format has them."""
        found = np.asarray(values)
        if self.is_real:
            return found.astype(np.float64)
        whole = np.where(np.isfinite(found), np.trunc(found), 0).astype(np.int64) if found.dtype.kind == "f" else found
        wrapped = whole.astype(np.int64) & ((1 << self.bits) - 1)
        return np.asarray(wrapped - ((wrapped >> 31) << 32) if self is DataType.INT32 else wrapped)


class Layout(Enum):
    """How elements follow one another."""

    TILE = auto()
    ROW_MAJOR = auto()


class TensorMemoryLayout(StrEnum):
    """How a tensor is divided over cores or banks."""

    INTERLEAVED = auto()
    HEIGHT_SHARDED = auto()
    WIDTH_SHARDED = auto()
    BLOCK_SHARDED = auto()


class BufferType(StrEnum):
    """Memories of a chip."""

    DRAM = auto()
    L1 = auto()


class Record:
    """A configuration: arguments that nothing here computes with."""

    def __init__(self, *arguments: Any, **fields: Any) -> None:
        self.arguments = arguments
        self.__dict__.update(fields)


class Tensor:
    """Values with what the library says of them; one that was deallocated has none."""

    def __init__(
        self,
        values: Any,
        data_type: DataType = DataType.FLOAT32,
        layout: Layout = Layout.ROW_MAJOR,
        device: Any = None,
        mem_config: Any = None,
    ) -> None:
        self._values: Array | None = data_type.hold(values)
        self.dtype, self.layout, self.device, self.memory_config = data_type, layout, device, mem_config

    @property
    def values(self) -> Array:
        """In the order of the shape; written to in place by ops that change a tensor."""
        assert self._values is not None, "the tensor was deallocated"
        return self._values

    @property
    def shape(self) -> tuple[int, ...]:
        """Extents."""
        return self.values.shape

    def free(self) -> None:
        """Give the buffer back."""
        self._values = None

    def to_numpy(self) -> Array:
        """The values, in the format's own type where NumPy has it."""
        kind = np.float32 if self.dtype.is_real else np.dtype(self.dtype.name.lower())
        return self.values.astype(kind)


def made(like: Tensor, values: Any, dtype: DataType | None = None, layout: Layout | None = None, **_: Any) -> Tensor:
    """A result in the format of an operand, or in another one; where it lies and how it is computed is left out."""
    return Tensor(values, dtype or like.dtype, layout or like.layout, like.device)


def given(operands: Sequence[Any]) -> list[Any]:
    """Values of tensors; numbers are themselves."""
    return [x.values if isinstance(x, Tensor) else x for x in operands]
