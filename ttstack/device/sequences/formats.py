"""Ops of which a call takes other formats: operands are cast to one that it takes, and results back."""

from collections.abc import Sequence
from dataclasses import replace

from ttstack.device.call_sequence import CallSequence, CallWriter
from ttstack.ops.types import DType


def compute_in(s: CallWriter, operands: Sequence[DType], *results: DType) -> CallSequence | None:
    """The op on operands of these formats, with results of these."""
    values = [s.cast(i, dtype) for i, dtype in enumerate(operands)]
    wanted = s.whole.results
    made = [replace(layout, dtype=dtype) for layout, dtype in zip(wanted, results, strict=True)]
    first = s.itself(None, *values, to=made)
    return s.end(*(s.cast(first + i, layout.dtype, to=layout) for i, layout in enumerate(wanted)))


def compute_first_in(s: CallWriter, dtype: DType, *results: DType) -> CallSequence | None:
    """The op with its first operand in this format, and results of these, of the same format where none are named."""
    given = [layout.dtype for layout in s.whole.operands]
    return compute_in(s, [dtype, *given[1:]], *(results or [dtype]))
