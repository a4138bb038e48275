"""Math fidelity: how much of its operands a matrix multiplication consumes.

A multiplier takes 5 bits of SrcA by 7 bits of SrcB, hidden bit included, and a fidelity says in how many
phases the rest follows (tt-metal, `tech_reports/matrix_engine/matrix_engine.md`): LoFi multiplies the high
parts alone, HiFi2 adds SrcA's low part, HiFi3 SrcB's, HiFi4 the product of both low parts. A matrix
multiplication loads its second operand to SrcA and its first to SrcB.
"""

import numpy as np
from numpy.typing import NDArray

Float32 = NDArray[np.float32]

_EXPLICIT_BITS = {
    "lofi": (6, 4),
    "hifi2": (6, 8),
    "hifi3": (10, 8),
    "hifi4": (10, 8),
}
"""Mantissa bits of the first and the second operand that take part; the source registers hold 10 (TF32)."""


def truncate_for_fidelity(array: Float32, fidelity: str, *, operand: int) -> Float32:
    """The part of operand 0 or 1 of a matrix multiplication that `fidelity`, LoFi to HiFi4, consumes.

    The product of two truncated operands is the device's for LoFi, HiFi2 and HiFi4. HiFi3 also leaves out the
    product of the low parts, which no truncation of the operands can say: it is taken as HiFi4.
    """
    dropped = 23 - _EXPLICIT_BITS[fidelity.lower()][operand]
    pattern = np.ascontiguousarray(array, dtype=np.float32).view(np.uint32)
    truncated = (pattern & np.uint32(0xFFFFFFFF << dropped & 0xFFFFFFFF)).view(np.float32)
    lost = np.isnan(array)  # without its low bits, a NaN can be infinite
    if lost.any():
        truncated[lost] = array[lost]
    return truncated
