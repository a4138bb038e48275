"""Element types and tensor types, independent of MLIR."""

import math
from dataclasses import dataclass
from enum import StrEnum
from functools import cache, cached_property
from typing import TypeAlias

import numpy as np

TILE = 32
"""Rows and columns of a tile."""


class DType(StrEnum):
    """An element type; the value is its MLIR spelling, which contains kind and bits.

    The type checker finds all places that a new one needs.
    """

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

    @cached_property
    def is_float(self) -> bool:
        """True for real numbers, with block formats."""
        return self.value[0] in "fb"

    @cached_property
    def is_block(self) -> bool:
        """True if 16 elements share one exponent, which only tiles support."""
        return self.value.startswith("bfp")

    @cached_property
    def is_unsigned(self) -> bool:
        """True for unsigned integers and `i1`."""
        return self is DType.I1 or self.value.startswith("ui")

    @cached_property
    def bits(self) -> int:
        """Bits of one element; block formats without the shared exponent."""
        return int("".join(c for c in self.value if c.isdigit()))

    @cached_property
    def row_major_bytes(self) -> int:
        """Bytes of one element in row-major memory."""
        return max(1, self.bits // 8)

    @property
    def tile_bytes(self) -> int:
        """Bytes of a 32x32 tile: 1,024 elements, and 64 shared exponents in block formats (tt-metal TILE_BYTES)."""
        return _tile_bytes(self)

    @property
    def numpy(self) -> np.dtype:
        """The NumPy type of values (float32 for block formats)."""
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
        case DType.F64 | DType.F32 | DType.F16:
            return np.dtype(f"f{dtype.bits // 8}")
        case DType.UI8 | DType.UI16 | DType.UI32 | DType.UI64:
            return np.dtype(f"u{dtype.bits // 8}")
        case DType.I8 | DType.I16 | DType.I32 | DType.I64 | DType.SI8 | DType.SI16 | DType.SI32 | DType.SI64:
            return np.dtype(f"i{dtype.bits // 8}")


@dataclass(frozen=True)
class QuantType:
    """Integers that represent real numbers, `(integer - zero_point) * scale`.

    There is one scale and zero point, or one for each index of dimension `axis`. Values are stored as `storage`, and
    the type has the properties of that element type.
    """

    storage: DType
    expressed: DType
    scales: tuple[float, ...]
    zero_points: tuple[int, ...]
    axis: int | None = None
    limits: tuple[int, int] | None = None
    """Smallest and largest integer; None for the range of the storage type."""

    @property
    def is_float(self) -> bool:
        """Always False: values are integers."""
        return False

    @property
    def is_block(self) -> bool:
        """Always False."""
        return False

    @property
    def is_unsigned(self) -> bool:
        """True if the integers are unsigned."""
        return self.storage.is_unsigned

    @property
    def bits(self) -> int:
        """Bits of one integer."""
        return self.storage.bits

    @property
    def row_major_bytes(self) -> int:
        """Bytes of one integer in row-major memory."""
        return self.storage.row_major_bytes

    @property
    def tile_bytes(self) -> int:
        """Bytes of a 32x32 tile of the integers."""
        return self.storage.tile_bytes

    @property
    def numpy(self) -> np.dtype:
        """The NumPy type that holds the integers."""
        return self.storage.numpy

    @property
    def range(self) -> tuple[int, int]:
        """Smallest and largest integer."""
        whole = np.iinfo(self.numpy)
        return self.limits or (int(whole.min), int(whole.max))

    def __str__(self) -> str:
        letter = "u" if self.is_unsigned else "i"
        limits = f"<{self.limits[0]}:{self.limits[1]}>" if self.limits else ""
        pairs = [_real(s) + (f":{z}" if z else "") for s, z in zip(self.scales, self.zero_points, strict=True)]
        by_axis = "" if self.axis is None else f":{self.axis}"
        parameters = pairs[0] if self.axis is None else f"{{{','.join(pairs)}}}"
        return f"!quant.uniform<{letter}{self.bits}{limits}:{self.expressed}{by_axis}, {parameters}>"


def _real(value: float) -> str:
    """Return the shortest spelling that MLIR reads as the same number, with a decimal point."""
    mantissa, e, exponent = repr(value).partition("e")
    return mantissa + ("" if "." in mantissa else ".0") + e + exponent


ElementType: TypeAlias = DType | QuantType


def storage_of(dtype: ElementType) -> DType:
    """Return the element type in memory: the integer type for quantized values."""
    return dtype.storage if isinstance(dtype, QuantType) else dtype


@dataclass(frozen=True)
class TensorType:
    """A static shape and an element type."""

    shape: tuple[int, ...]
    dtype: ElementType

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
        """Return the type with another shape."""
        return TensorType(tuple(shape), self.dtype)

    def with_dtype(self, dtype: ElementType) -> "TensorType":
        """Return the type with another element type."""
        return TensorType(self.shape, dtype)

    def __str__(self) -> str:
        return f"tensor<{''.join(f'{d}x' for d in self.shape)}{self.dtype}>"


@dataclass(frozen=True)
class ComplexType(TensorType):
    """Complex numbers of this shape, whose real and imaginary parts have the element type.

    Programs hold them as pairs of reals, with one more dimension of 2 at the end.
    """

    @staticmethod
    def of_pairs(t: TensorType) -> "ComplexType":
        """Return the complex type whose pairs of reals have this type."""
        return ComplexType(t.shape[:-1], t.dtype)

    @property
    def nbytes(self) -> int:
        """Bytes of the values in host memory."""
        return 2 * super().nbytes

    @property
    def numpy(self) -> np.dtype:
        """The NumPy type of values (complex64 unless the parts are f64)."""
        return np.dtype(np.complex128 if self.dtype is DType.F64 else np.complex64)

    def __str__(self) -> str:
        return f"tensor<{''.join(f'{d}x' for d in self.shape)}complex<{self.dtype}>>"


def tiles(extent: int) -> int:
    """Return the number of tiles that cover `extent` elements."""
    return -(-extent // TILE)


def tile_shape(shape: tuple[int, ...]) -> tuple[int, ...]:
    """Return the extents counted in tiles; only the last two dimensions are tiled."""
    return (*shape[:-2], *(tiles(d) for d in shape[-2:]))
