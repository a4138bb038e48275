"""Rounding to integers, composed of TTIR ops."""

from functools import partial

from ttstack.dialects.ttir.build import cast, elementwise, scalar
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.types import read_type
from ttstack.mlir import ir
from ttstack.ops.types import DType

TO_EVEN = "floor subtract multiply eq ne gt logical_and logical_or typecast add"
"""The ops of `round_to_even`."""


def round_to_even(x: ir.Value) -> ir.Value:
    """Round to the nearest integer, ties to even."""
    t = read_type(x.type)
    f, test = partial(elementwise, result=t), partial(ttir.build, result=t.with_dtype(DType.I1))
    below = ttir.floor(x)
    rest, half = f("subtract", x, below), scalar(0.5, t)
    odd = test("ne", ttir.floor(f("multiply", below, half)), f("multiply", below, half))
    tie = test("logical_and", test("eq", rest, half), odd)
    up = test("logical_or", test("gt", rest, half), tie)
    return f("add", below, cast(up, t.dtype))
