"""Shape rules of operands and results, each with its error message."""

from collections.abc import Sequence
from functools import lru_cache
from math import prod
from typing import Final

from ttstack.ops.types import ElementType, TensorType

MAX_RANK: Final = 64
"""Maximum rank of a tensor, as in NumPy."""
MAX_ELEMENTS: Final = 1 << 40
"""Maximum number of elements: more than any device holds, with sizes in bytes that fit 64 bits."""


class TooLargeError(ValueError):
    """A tensor with more elements than any device holds, or a size that its attribute cannot represent."""


@lru_cache(4096)
def check_shape(shape: tuple[int, ...]) -> None:
    """Raise `ValueError` if a tensor of that shape does not fit any host or device; extents of 0 count as 1."""
    if min(shape, default=0) < 0:
        raise ValueError(f"a tensor has the extent {min(shape)}")
    if len(shape) > MAX_RANK:
        raise ValueError(f"a tensor has {len(shape)} dimensions, at most {MAX_RANK} are supported")
    if prod(extent or 1 for extent in shape) > MAX_ELEMENTS:
        spelled = "x".join(map(str, shape))
        raise TooLargeError(f"a tensor of {spelled} is too large: at most {MAX_ELEMENTS:,} elements are supported")


def broadcast(*shapes: Sequence[int]) -> tuple[int, ...]:
    """Broadcast shapes as NumPy does; raise `ValueError` with the shapes that do not fit."""
    rank = max(map(len, shapes))
    padded = [(1,) * (rank - len(s)) + tuple(s) for s in shapes]
    out: list[int] = []
    for extents in zip(*padded, strict=True):
        wide = {e for e in extents if e != 1}
        if len(wide) > 1:
            raise ValueError(f"shapes {' and '.join(str(list(s)) for s in shapes)} do not broadcast")
        out.append(wide.pop() if wide else 1)
    return tuple(out)


def axis(dim: int, rank: int, name: str = "dim") -> int:
    """Return `dim` counted from the front; raise `ValueError` if it is out of range."""
    if not -rank <= dim < rank:
        raise ValueError(f"{name} {dim} is out of range for rank {rank}")
    return dim % rank if rank else 0


def from_front(dim: int, rank: int, name: str = "dim") -> int:
    """Return a nonnegative `dim`; raise `ValueError` if it is negative or out of range."""
    expect(0 <= dim < rank, f"{name} {dim} is out of range for rank {rank}, counted from the front")
    return dim


def axes(dims: Sequence[int] | None, rank: int, name: str = "dim_arg") -> tuple[int, ...]:
    """Return `dims` counted from the front, all for None; raise `ValueError` on repeats and out of range."""
    if dims is None:
        return tuple(range(rank))
    out = tuple(axis(d, rank, name) for d in dims)
    if len(set(out)) != len(out):
        raise ValueError(f"{name} {list(dims)} names a dimension twice")
    return out


def promote(*types: TensorType) -> ElementType:
    """Return the element type of an op on operands of several types: real before integer, wide before narrow.

    Raises:
        ValueError: two types of one width hold different values, such as f16 and bf16; the message names both.
    """
    found = max((t.dtype for t in types), key=_rank)
    for t in types:
        if t.dtype != found and _rank(t.dtype) == _rank(found):
            raise ValueError(f"element types {found} and {t.dtype} are mixed; cast one of them")
    return found


def _rank(dtype: ElementType) -> tuple[bool, int]:
    return dtype.is_float, dtype.bits


def expect(condition: bool, message: str) -> None:
    """Raise `ValueError` with `message` unless the condition holds."""
    if not condition:
        raise ValueError(message)


def integer(name: str, got: TensorType) -> None:
    """Raise `ValueError` if elements are real numbers."""
    expect(not got.dtype.is_float, f"{name} is {got.dtype}, not an integer")


def check_trailing(name: str, got: TensorType | None, want: Sequence[int]) -> None:
    """Check an optional weight or bias against the shape it must have."""
    if got is not None and tuple(got.shape) != tuple(want):
        raise ValueError(f"{name} has shape {list(got.shape)}, expected {list(want)}")
