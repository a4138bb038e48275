"""Math fidelity: how much of its operands a matrix multiplication consumes.

A multiplier takes 5 bits of SrcA by 7 bits of SrcB, hidden bit included, and a fidelity says in how many
phases the rest follows (tt-metal, `tech_reports/matrix_engine/matrix_engine.md`): LoFi multiplies the high
parts alone, HiFi2 adds SrcA's low part, HiFi3 SrcB's, HiFi4 the product of both low parts. A matrix
multiplication loads its second operand to SrcA and its first to SrcB.
"""

import numpy as np
from numpy.typing import NDArray

from ttstack.ops.types import DType
from ttstack_runtime.chunks import in_chunks
from ttstack_runtime.numerics.formats import mantissa_bits

Float32 = NDArray[np.float32]

_EXPLICIT_BITS = {
    "lofi": (6, 4),
    "hifi2": (6, 8),
    "hifi3": (10, 8),
    "hifi4": (10, 8),
}
"""Mantissa bits of the first and the second operand that take part; the source registers hold 10 (TF32)."""


def is_truncated(dtype: DType, fidelity: str, *, operand: int) -> bool:
    """Whether `truncate_for_fidelity` can change real numbers of this format."""
    bits = mantissa_bits(dtype)
    return bits is None or bits - 1 > _EXPLICIT_BITS[fidelity.lower()][operand]


def truncate_for_fidelity(array: Float32, fidelity: str, *, operand: int) -> Float32:
    """The part of operand 0 or 1 of a matrix multiplication that `fidelity`, LoFi to HiFi4, consumes.

    The product of two truncated operands is the device's for LoFi, HiFi2 and HiFi4. HiFi3 also leaves out the
    product of the low parts, which no truncation of the operands can say: it is taken as HiFi4.
    """
    kept = np.uint32(0xFFFFFFFF << 23 - _EXPLICIT_BITS[fidelity.lower()][operand] & 0xFFFFFFFF)
    return in_chunks(lambda part: _truncate(part, kept), np.asarray(array, dtype=np.float32))


def _truncate(part: Float32, kept: np.uint32) -> Float32:
    truncated = (part.view(np.uint32) & kept).view(np.float32)
    lost = np.isnan(part)  # without its low bits, a NaN can be infinite
    if lost.any():
        truncated[lost] = part[lost]
    return truncated
