"""Rounding to whole numbers, as a combination of what TTIR has."""

from functools import partial

from ttstack.dialects.ttir.build import cast, elementwise, scalar
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.types import read_type
from ttstack.mlir import ir
from ttstack.ops.types import DType

TO_EVEN = "floor subtract multiply eq ne gt logical_and logical_or typecast add"
"""What `round_to_even` is made of."""


def round_to_even(x: ir.Value) -> ir.Value:
    """The nearest whole number; of two, the even one."""
    t = read_type(x.type)
    f, test = partial(elementwise, result=t), partial(ttir.build, result=t.with_dtype(DType.I1))
    below = ttir.floor(x)
    rest, half = f("subtract", x, below), scalar(0.5, t)
    odd = test("ne", ttir.floor(f("multiply", below, half)), f("multiply", below, half))
    tie = test("logical_and", test("eq", rest, half), odd)
    up = test("logical_or", test("gt", rest, half), tie)
    return f("add", below, cast(up, t.dtype))
