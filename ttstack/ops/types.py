"""Element types and tensor types, free of MLIR."""

import math
from dataclasses import dataclass
from enum import StrEnum
from functools import cache, cached_property

import numpy as np

TILE = 32
"""Rows and columns of a tile."""


class DType(StrEnum):
    """An element type; the value is its spelling in MLIR text."""

    F64 = "f64"
    F32 = "f32"
    F16 = "f16"
    BF16 = "bf16"
    BFP8_B = "bfp8_b"
    BFP4_B = "bfp4_b"
    I1 = "i1"
    I8 = "i8"
    SI8 = "si8"
    UI8 = "ui8"
    I16 = "i16"
    SI16 = "si16"
    UI16 = "ui16"
    I32 = "i32"
    SI32 = "si32"
    UI32 = "ui32"
    I64 = "i64"
    SI64 = "si64"
    UI64 = "ui64"

    @property
    def is_float(self) -> bool:
        """Whether values are real numbers, block formats included."""
        return self.value[0] in "fb"

    @property
    def is_block(self) -> bool:
        """Whether 16 elements share one exponent, which only tiles can hold."""
        return self.value.startswith("bfp")

    @property
    def is_unsigned(self) -> bool:
        """Whether integers of this type have no sign; `i1` counts."""
        return self is DType.I1 or self.value.startswith("ui")

    @property
    def bits(self) -> int:
        """Bits of one element; of a block format, without the shared exponent."""
        return int("".join(c for c in self.value if c.isdigit()))

    @property
    def row_major_bytes(self) -> int:
        """Bytes of one element in row-major memory."""
        return max(1, self.bits // 8)

    @property
    def tile_bytes(self) -> int:
        """Bytes of a 32x32 tile: 1,024 elements, and 64 shared exponents in block formats (tt-metal TILE_BYTES)."""
        return _tile_bytes(self)

    @property
    def numpy(self) -> np.dtype:
        """The NumPy type that holds values of this element type (block formats are held as float32)."""
        return _numpy(self)


@cache
def _tile_bytes(dtype: DType) -> int:
    return TILE * TILE * dtype.bits // 8 + 64 if dtype.is_block else TILE * TILE * dtype.row_major_bytes


def _numpy(dtype: DType) -> np.dtype:
    match dtype:
        case DType.I1:
            return np.dtype(np.bool_)
        case DType.BF16:
            import ml_dtypes

            return np.dtype(ml_dtypes.bfloat16)
        case DType.BFP8_B | DType.BFP4_B:
            return np.dtype(np.float32)
        case _:
            kind = "f" if dtype.is_float else "u" if dtype.is_unsigned else "i"
            return np.dtype(f"{kind}{dtype.bits // 8}")


@dataclass(frozen=True)
class TensorType:
    """A static shape and an element type."""

    shape: tuple[int, ...]
    dtype: DType

    @property
    def rank(self) -> int:
        """Number of dimensions."""
        return len(self.shape)

    @cached_property
    def size(self) -> int:
        """Number of elements."""
        return math.prod(self.shape)

    @property
    def nbytes(self) -> int:
        """Bytes of the values in host memory."""
        return self.size * self.dtype.row_major_bytes

    def with_shape(self, shape: tuple[int, ...]) -> "TensorType":
        """The same element type in another shape."""
        return TensorType(tuple(shape), self.dtype)

    def with_dtype(self, dtype: DType) -> "TensorType":
        """The same shape with another element type."""
        return TensorType(self.shape, dtype)

    def __str__(self) -> str:
        return f"tensor<{''.join(f'{d}x' for d in self.shape)}{self.dtype}>"


def tiles(extent: int) -> int:
    """Tiles that cover `extent` elements."""
    return -(-extent // TILE)


def tile_shape(shape: tuple[int, ...]) -> tuple[int, ...]:
    """Extents of a tensor counted in tiles: the last two dimensions are tiled, those before are not."""
    return (*shape[:-2], *(tiles(d) for d in shape[-2:]))
