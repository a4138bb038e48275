"""Rounding to the formats that the device stores.

The block formats are those of tt-metal's `tt_metal/impl/data_format/blockfloat_common.cpp`
(`convert_u32_to_bfp`, `pack_as_bfp_tiles`): 16 consecutive elements of a row of a 16x16 face share one 8-bit
exponent, the largest among them; each has a sign and a mantissa of 7 or 3 bits whose leading bit is explicit.
"""

import numpy as np
from numpy.typing import NDArray

from ttstack.ops.types import DType
from ttstack_runtime.chunks import in_chunks

Float32 = NDArray[np.float32]

_BLOCK = 16


def quantize(array: Float32, dtype: str, *, saturate: bool = False) -> Float32:
    """`array` rounded to what bf16, f16, bfp8_b or bfp4_b stores as float32; other types change nothing.

    Rounding is to nearest, ties to even. Values too large for bf16 or f16 become infinite, or the largest number of
    the format where they `saturate`. A block format saturates always, flushes denormals and has no negative zero;
    blocks run along the last axis, an incomplete one filled with zeros.
    """
    stored = DType(dtype)
    if (bits := mantissa_bits(stored)) is None:
        return array
    top = largest(stored) if saturate else np.float32(np.inf)
    with np.errstate(over="ignore", invalid="ignore"):
        if stored.is_block:
            return _blockwise(array, bits)
        return in_chunks(lambda part: _saturate(part.astype(stored.numpy).astype(np.float32), part, top), array)


def _saturate(rounded: Float32, exact: Float32, top: np.float32) -> Float32:
    """`rounded`, with `top` for what is finite in `exact` alone."""
    infinite = np.isinf(rounded)
    if np.isfinite(top) and infinite.any():
        np.copyto(rounded, np.copysign(top, exact), where=infinite & np.isfinite(exact))
    return rounded


def mantissa_bits(dtype: DType) -> int | None:
    """Bits of a mantissa, the leading one included, of formats narrower than float32; None of all others."""
    match dtype:
        case DType.F16:
            return 11
        case DType.BF16:
            return 8
        case DType.BFP8_B:
            return 7
        case DType.BFP4_B:
            return 3
        case DType.F64 | DType.F32 | DType.I1 | DType.I8 | DType.SI8 | DType.UI8 | DType.I16 | DType.SI16 | DType.UI16:
            return None
        case DType.I32 | DType.SI32 | DType.UI32 | DType.I64 | DType.SI64 | DType.UI64:
            return None


def largest(dtype: DType) -> np.float32:
    """The largest finite number of bf16, f16, bfp8_b or bfp4_b."""
    if (bits := mantissa_bits(dtype)) is None:
        raise ValueError(f"{dtype} is not a narrow format of real numbers")
    return np.float32((2 - 2.0 ** (1 - bits)) * 2.0 ** (15 if dtype is DType.F16 else 127))


def _blockwise(array: Float32, bits: int) -> Float32:
    if not array.size:
        return array
    length = array.shape[-1] if array.ndim else 1
    rows = np.ascontiguousarray(array, dtype=np.float32).reshape(-1, length)
    missing = -length % _BLOCK
    padded = np.pad(rows, ((0, 0), (0, missing))) if missing else rows
    rounded = in_chunks(lambda part: _round_blocks(part.reshape(-1, _BLOCK), bits).reshape(-1), padded)
    return rounded[:, :length].reshape(array.shape)


def _round_blocks(blocks: Float32, bits: int) -> Float32:
    """[n, 16] values under one exponent a row; the mantissa is aligned by truncation and then rounded."""
    pattern = blocks.view(np.uint32)
    exponent = (pattern >> 23) & 0xFF
    shared = exponent.max(axis=1, keepdims=True)
    aligned = ((pattern & 0x7FFFFF) | 0x800000) >> np.minimum(shared - exponent, 31)
    drop = 24 - bits
    tie_to_even = (1 << (drop - 1)) - 1 + ((aligned >> drop) & 1)
    mantissa = np.minimum((aligned + tie_to_even) >> drop, (1 << bits) - 1)
    mantissa[exponent == 0] = 0
    values = mantissa.astype(np.float32) * np.ldexp(np.float32(1), shared.astype(np.int32) - (126 + bits))
    np.copyto(values, np.nan, where=np.isnan(blocks))
    return np.where(mantissa == 0, np.float32(0), np.copysign(values, blocks))
