"""Formats of elements that calls of `ttnn` 0.81.1 take, and those in which others are computed instead."""

from ttstack.device.data_types import is_held
from ttstack.ops.types import DType

_ALL = frozenset(filter(is_held, DType))
_REALS = frozenset(dtype for dtype in _ALL if dtype.is_float)
_PLAIN = frozenset({DType.F32, DType.BF16})
_WIDE = frozenset({DType.SI32, DType.UI32})
_LONG = _WIDE | {DType.UI16}
_SIGNED = frozenset({DType.SI32})

_TAKEN = {
    **dict.fromkeys(("abs", "relu", "eq", "ne", "lt", "le", "gt", "ge"), _ALL),
    **dict.fromkeys(("square", "add", "subtract", "multiply", "pad"), _REALS | _LONG),
    **dict.fromkeys(("logical_not", "logical_and", "logical_or", "logical_xor"), _REALS | _LONG),
    **dict.fromkeys(("bitwise_and", "bitwise_or", "bitwise_xor", "bitwise_right_shift", "logical_left_shift"), _LONG),
    **dict.fromkeys(("maximum", "minimum", "sum", "max", "min", "reshape"), _REALS | _WIDE),
    **dict.fromkeys(("bitwise_not", "logical_right_shift"), _WIDE),
    **dict.fromkeys(("neg", "signbit", "clamp", "div", "fmod"), _REALS | _SIGNED),
    **dict.fromkeys(("sort", "argmax"), _PLAIN),
    **dict.fromkeys(
        ("slice of parts of tiles", "scatter"), frozenset(dtype for dtype in _ALL - {DType.UI8} if not dtype.is_block)
    ),
    **dict.fromkeys(("max_pool2d", "avg_pool2d"), _REALS - {DType.F32}),
    **dict.fromkeys(("sampling", "dropout"), frozenset({DType.BF16})),
}
"""By the name of the call, all that it takes; what is not named takes real numbers."""


def compute_format(name: str, given: DType) -> DType:
    """The format in which a call takes elements: their own, or the first that it takes and that is like theirs."""
    taken = _TAKEN.get(name, _REALS)
    alike = (DType.BF16, DType.F32) if given.is_float else (DType.SI32, DType.F32, DType.BF16)
    return next((dtype for dtype in (given, *alike) if dtype in taken), given)
