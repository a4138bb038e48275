"""What is drawn for any op: shapes, element types, places; and the strategies by class of ops."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from hypothesis import strategies as st

from tests.ops.case import Case
from ttstack.ops import Op
from ttstack.ops.types import DType, TensorType

Draw = Callable[[st.SearchStrategy[Any]], Any]

REALS = (DType.F32, DType.BF16, DType.F16, DType.F64)
INTEGERS = (DType.I32, DType.UI8, DType.UI16, DType.UI32, DType.I64, DType.SI32)
NUMBERS = (*REALS, *INTEGERS)
LEAD = st.integers(1, 3)
SIDE = st.sampled_from((1, 2, 5, 31, 32, 33, 64))
F32 = st.sampled_from((0.0, 0.25, 1.0, -2.5, 1e-5, 3.0e38)).map(lambda x: float(np.float32(x)))

MAKERS: dict[type[Op], Callable[[Draw, str], Case]] = {}


def shapes(least: int = 0, most: int = 4) -> st.SearchStrategy[tuple[int, ...]]:
    """Shapes whose last two dimensions are about a tile wide and whose others are small."""

    def of(rank: int) -> st.SearchStrategy[tuple[int, ...]]:
        return st.tuples(*[LEAD] * max(rank - 2, 0), *[SIDE] * min(rank, 2))

    return st.integers(least, most).flatmap(of)


def tensors(dtypes: Sequence[DType] = NUMBERS, least: int = 0, most: int = 4) -> st.SearchStrategy[TensorType]:
    return st.builds(TensorType, shapes(least, most), st.sampled_from(dtypes))


def for_ops(*bases: type[Op]) -> Callable[[Callable[[Draw, str], Case]], Callable[[Draw, str], Case]]:
    def register(maker: Callable[[Draw, str], Case]) -> Callable[[Draw, str], Case]:
        MAKERS.update(dict.fromkeys(bases, maker))
        return maker

    return register


def spread(draw: Draw, out: Sequence[int]) -> tuple[int, ...]:
    """A shape that broadcasts to `out`."""
    kept = [e if draw(st.booleans()) else 1 for e in out]
    return tuple(kept[draw(st.integers(0, len(kept))) :])


def axis_of(draw: Draw, rank: int) -> int:
    return draw(st.integers(-rank, rank - 1)) if rank else draw(st.sampled_from((0,)))


def subset(draw: Draw, rank: int) -> tuple[int, ...]:
    return tuple(draw(st.lists(st.integers(0, rank - 1), unique=True))) if rank else ()
