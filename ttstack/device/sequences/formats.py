"""Formats that `ttnn` 0.81.1 calls support; operands and results are cast to and from them."""

from collections.abc import Sequence
from dataclasses import replace

from ttstack.device.data_types import is_held
from ttstack.device.sequences.sequence import CallSequence, CallWriter
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
"""Supported formats by call name; other calls support real numbers."""


def compute_format(name: str, source: DType) -> DType:
    """Return the format in which a call computes elements: their own, or the first similar one that it supports."""
    accepted = _TAKEN.get(name, _REALS)
    alike = (DType.BF16, DType.F32) if source.is_float else (DType.SI32, DType.F32, DType.BF16)
    return next((dtype for dtype in (source, *alike) if dtype in accepted), source)


def compute_in(s: CallWriter, operands: Sequence[DType], *results: DType) -> CallSequence | None:
    """Call the op on operands of these formats, with results of these."""
    values = [s.cast(i, dtype) for i, dtype in enumerate(operands)]
    wanted = s.whole.results
    layouts = [replace(layout, dtype=dtype) for layout, dtype in zip(wanted, results, strict=True)]
    first = s.itself(None, *values, to=layouts)
    return s.end(*(s.cast(first + i, layout.dtype, to=layout) for i, layout in enumerate(wanted)))


def compute_first_in(s: CallWriter, dtype: DType, *results: DType) -> CallSequence | None:
    """Call the op with its first operand in this format, and results in these, or in the same one."""
    dtypes = [layout.dtype for layout in s.whole.operands]
    return compute_in(s, [dtype, *dtypes[1:]], *(results or [dtype]))
