"""Runtime checks of indices: an index out of range is reported as an error, without a crash.

Indices are clamped before use; whether one was out of range is collected here, op by op.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field

from ttstack.ops.types import DType
from ttstack.passes.ttir_to_linalg.folds import reduce
from ttstack.passes.ttir_to_linalg.scalars import Number, Scalar, compare, constant, select
from ttstack.passes.ttir_to_linalg.tensors import Dense, elementwise, full


@dataclass
class Checks:
    """Bools of rank 0 that are true for an error, with the number of the op."""

    number: int = 0
    found: list[tuple[int, Dense]] = field(default_factory=list[tuple[int, Dense]])

    def code(self) -> Dense:
        """Return 0, or the number of the first op with an error, as i32 of rank 0."""
        result = full((), 0, DType.I32)
        for number, fault in reversed(self.found):

            def first(at: Scalar, so_far: Scalar, number: int = number) -> Scalar:
                return select(at, constant(number, DType.I32), so_far)

            result = elementwise(first, [fault, result], DType.I32)
        return result


_CURRENT: ContextVar[Checks] = ContextVar("checks")


@contextmanager
def collect() -> Iterator[Checks]:
    """Collect the checks of all ops that are lowered inside."""
    checks = Checks()
    token = _CURRENT.set(checks)
    try:
        yield checks
    finally:
        _CURRENT.reset(token)


def require(well: Dense) -> None:
    """Record an error of the current op if an element is false."""
    checks = _CURRENT.get()
    faulty = elementwise(lambda x: ~x, [well], DType.I1)
    checks.found.append(
        (checks.number, reduce(lambda so_far, x: so_far | x, faulty, range(well.rank), False, DType.I1))
    )


def inside(indices: Dense, count: int) -> Dense:
    """Return indices as i64, clamped to 0 up to `count`; record an error if one is out of range."""
    whole = indices.cast(DType.I64)
    require(elementwise(lambda i: _within(i, count), [whole], DType.I1))
    return elementwise(lambda i: select(_within(i, count), i, 0), [whole], DType.I64)


def _within(i: Scalar, count: Number) -> Scalar:
    return (i >= 0) & compare("lt", i, count)
