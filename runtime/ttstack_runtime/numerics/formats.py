"""Rounding to the formats that the device stores.

The block formats are those of tt-metal's `tt_metal/impl/data_format/blockfloat_common.cpp`
(`convert_u32_to_bfp`, `pack_as_bfp_tiles`): 16 consecutive elements of a row of a 16x16 face share one 8-bit
exponent, the largest among them; each has a sign and a mantissa of 7 or 3 bits whose leading bit is explicit.
"""

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

Float32 = NDArray[np.float32]

_BLOCK = 16
_MANTISSA_BITS = {"bfp8_b": 7, "bfp4_b": 3}
_STORED_AS = {"bf16": np.dtype(ml_dtypes.bfloat16), "f16": np.dtype(np.float16)}
_CHUNK = 1 << 18  # elements that are converted at a time, so that temporaries stay in cache


def quantize(array: Float32, dtype: str) -> Float32:
    """`array` rounded to what bf16, f16, bfp8_b or bfp4_b stores as float32; other types change nothing.

    Rounding is to nearest, ties to even. Values too large for f16 become infinite. A block format saturates
    to its largest mantissa, flushes denormals and has no negative zero; blocks run along the last axis, an
    incomplete one filled with zeros.
    """
    name = str(dtype)
    with np.errstate(over="ignore", invalid="ignore"):
        if name in _STORED_AS:
            return array.astype(_STORED_AS[name]).astype(np.float32)
        if name in _MANTISSA_BITS:
            return _blockwise(array, _MANTISSA_BITS[name])
    return array


def largest(dtype: str) -> np.float32:
    """The largest finite number of bf16, f16, bfp8_b or bfp4_b."""
    bits = {"bf16": 8, "f16": 11, **_MANTISSA_BITS}[dtype]
    return np.float32((2 - 2.0 ** (1 - bits)) * 2.0 ** (15 if dtype == "f16" else 127))


def _blockwise(array: Float32, bits: int) -> Float32:
    if not array.size:
        return array
    length = array.shape[-1] if array.ndim else 1
    rows = np.ascontiguousarray(array, dtype=np.float32).reshape(-1, length)
    missing = -length % _BLOCK
    padded = np.pad(rows, ((0, 0), (0, missing))) if missing else rows
    blocks = padded.reshape(-1, _BLOCK)
    out = np.empty_like(blocks)
    step = _CHUNK // _BLOCK
    for start in range(0, len(blocks), step):
        out[start : start + step] = _round_blocks(blocks[start : start + step], bits)
    return out.reshape(len(rows), -1)[:, :length].reshape(array.shape)


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
