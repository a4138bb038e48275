"""The outcome of one test of a suite: equal, wrong, refused or a fault."""

import re
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ttstack.diagnostics import TTStackError

KINDS = ("equal", "wrong", "refused", "fault")
"""`fault` is an exception that is not a `TTStackError`, a crash, or no answer within the time limit."""

_PLAIN = re.compile(r"\x1b\[[0-9;]*m")


@dataclass(frozen=True)
class Outcome:
    """The outcome of a test, with the error or the difference as reason."""

    kind: str
    reason: str = ""


def outcome(test: Callable[[], str]) -> Outcome:
    """Return the outcome of a function that returns the first difference of its results, or an empty text."""
    try:
        why = test()
    except TTStackError as error:
        return Outcome("refused", _reason(error))
    except Exception as error:  # any exception that is not ttstack's own is a fault
        return Outcome("fault", f"{type(error).__name__}: {str(error)[:300]}")
    return Outcome("wrong", why) if why else Outcome("equal")


def _reason(error: TTStackError) -> str:
    """Return the message of an error; with the ops, if it is the list of ops without a conversion."""
    diagnostic = error.diagnostic
    message = _PLAIN.sub("", diagnostic.message)
    if re.match(r"\d+ ops? (of|cannot)", message) and diagnostic.notes:
        return "; ".join(note.partition(", first at")[0].partition("; the nearest")[0] for note in diagnostic.notes)
    return message


def difference(got: NDArray[np.generic], want: NDArray[np.generic], rtol: float, atol: float) -> str:
    """Return the first difference between two arrays, or an empty text."""
    if got.shape != want.shape:
        return f"has the shape {got.shape}, expected {want.shape}"
    kind = np.complex128 if "c" in (got.dtype.kind, want.dtype.kind) else np.float64
    a, b = got.astype(kind), want.astype(kind)
    far = ~np.isclose(a, b, rtol=rtol, atol=atol, equal_nan=True)
    return f"has {far.sum()} of {far.size} wrong elements, {a[far][0]} instead of {b[far][0]}" if far.any() else ""
