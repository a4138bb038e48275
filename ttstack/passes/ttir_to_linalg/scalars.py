"""Arithmetic on single elements, as in NumPy, for the bodies of loops over tensors.

bf16 and f16 are computed in f32, as in the runtime's kernels; integers keep their width and sign, and `i1` adds by or
and multiplies by and, as in StableHLO.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Union

import numpy as np

from ttstack.mlir import arith, ir, math
from ttstack.ops.types import DType

Number = bool | int | float
Operand = Union["Scalar", Number]

_PREDICATES = {"eq": (0, 1), "ne": (1, 13), "lt": (2, 4), "le": (3, 5), "gt": (4, 2), "ge": (5, 3)}
"""Signed predicates of `arith.cmpi`, and predicates of `arith.cmpf`: ordered, except for `ne`, which is true for
NaN."""
_UNSIGNED = 4
"""The difference between unsigned and signed predicates."""


def memory_element(dtype: DType) -> ir.Type:
    """Return the element type in memory: the same bits, with signless integers."""
    return ir.Type.parse(_spelled(dtype))


@cache
def _spelled(dtype: DType) -> str:
    return str(dtype) if dtype.is_float else f"i{dtype.bits}"


def wide_type(dtype: DType) -> DType:
    """Return the element type of computations."""
    return DType.F32 if dtype.is_float and dtype.bits < 32 else dtype


@dataclass(frozen=True)
class Scalar:
    """A value in an element type of computations."""

    value: ir.Value
    dtype: DType

    @property
    def is_float(self) -> bool:
        """True for a real number."""
        return self.dtype.is_float

    @property
    def is_truth(self) -> bool:
        """True for a bool."""
        return self.dtype is DType.I1

    def like(self, other: Operand) -> "Scalar":
        """Convert a number, or another scalar, to the type of this one."""
        return cast(other, self.dtype) if isinstance(other, Scalar) else constant(other, self.dtype)

    def __add__(self, other: Operand) -> "Scalar":
        return _either(self, other, arith.addf, arith.ori if self.is_truth else arith.addi)

    __radd__ = __add__

    def __sub__(self, other: Operand) -> "Scalar":
        return _either(self, other, arith.subf, arith.xori if self.is_truth else arith.subi)

    def __rsub__(self, other: Operand) -> "Scalar":
        return self.like(other) - self

    def __mul__(self, other: Operand) -> "Scalar":
        return _either(self, other, arith.mulf, arith.andi if self.is_truth else arith.muli)

    __rmul__ = __mul__

    def __truediv__(self, other: Operand) -> "Scalar":
        return Scalar(arith.divf(self.value, self.like(other).value), self.dtype)

    def __rtruediv__(self, other: Operand) -> "Scalar":
        return self.like(other) / self

    def __neg__(self) -> "Scalar":
        return Scalar(arith.negf(self.value), self.dtype) if self.is_float else self.like(0) - self

    def __and__(self, other: Operand) -> "Scalar":
        return Scalar(arith.andi(self.value, self.like(other).value), self.dtype)

    def __or__(self, other: Operand) -> "Scalar":
        return Scalar(arith.ori(self.value, self.like(other).value), self.dtype)

    def __xor__(self, other: Operand) -> "Scalar":
        return Scalar(arith.xori(self.value, self.like(other).value), self.dtype)

    def __invert__(self) -> "Scalar":
        return self ^ (True if self.is_truth else -1)

    def __lt__(self, other: Operand) -> "Scalar":
        return compare("lt", self, other)

    def __le__(self, other: Operand) -> "Scalar":
        return compare("le", self, other)

    def __gt__(self, other: Operand) -> "Scalar":
        return compare("gt", self, other)

    def __ge__(self, other: Operand) -> "Scalar":
        return compare("ge", self, other)


def _either(x: Scalar, other: Operand, real: Callable[..., ir.Value], whole: Callable[..., ir.Value]) -> Scalar:
    return Scalar((real if x.is_float else whole)(x.value, x.like(other).value), x.dtype)


def constant(number: Number, dtype: DType) -> Scalar:
    """Return a number as an element; integers out of range wrap."""
    kind = memory_element(dtype)
    if dtype.is_float:
        return Scalar(arith.constant(kind, ir.FloatAttr.get(kind, float(number))), dtype)
    bits = int(number) & ((1 << dtype.bits) - 1)
    signed = bits - (1 << dtype.bits) if bits >> (dtype.bits - 1) and dtype.bits > 1 else bits
    return Scalar(arith.constant(kind, ir.IntegerAttr.get(kind, signed)), dtype)


def compare(relation: str, x: Scalar, other: Operand) -> Scalar:
    """Return the result of `eq`, `ne`, `lt`, `le`, `gt` or `ge`."""
    whole, real = _PREDICATES[relation]
    y = x.like(other).value
    if x.is_float:
        return Scalar(arith.cmpf(real, x.value, y), DType.I1)
    sign = _UNSIGNED if x.dtype.is_unsigned and whole > 1 else 0
    return Scalar(arith.cmpi(whole + sign, x.value, y), DType.I1)


def select(condition: Scalar, yes: Scalar, no: Operand) -> Scalar:
    """Return `yes` if the condition is true, otherwise `no`."""
    return Scalar(arith.select(condition.value, yes.value, yes.like(no).value), yes.dtype)


def maximum(x: Scalar, other: Operand) -> Scalar:
    """Return the larger; NaN if either is NaN."""
    return _either(x, other, arith.maximumf, arith.maxui if x.dtype.is_unsigned else arith.maxsi)


def minimum(x: Scalar, other: Operand) -> Scalar:
    """Return the smaller; NaN if either is NaN."""
    return _either(x, other, arith.minimumf, arith.minui if x.dtype.is_unsigned else arith.minsi)


def is_nan(x: Scalar) -> Scalar:
    """Return true for NaN."""
    return compare("ne", x, x)


def truth(x: Scalar) -> Scalar:
    """Return true unless it is zero."""
    return x if x.is_truth else compare("ne", x, 0)


def library(name: str, *operands: Scalar) -> Scalar:
    """Call a function of the `math` dialect."""
    return Scalar(getattr(math, name)(*(x.value for x in operands)), operands[0].dtype)


def bits_of(x: Scalar, dtype: DType) -> Scalar:
    """Reinterpret the bits as another element type of the same width."""
    if memory_element(dtype) == x.value.type:
        return Scalar(x.value, dtype)
    return Scalar(arith.bitcast(memory_element(dtype), x.value), dtype)


def cast(x: Scalar, dtype: DType) -> Scalar:
    """Convert to another type: reals truncate and saturate to integers, NaN to 0; integers wrap; nonzero is true."""
    if dtype is x.dtype or dtype is DType.I1:
        return truth(x) if dtype is DType.I1 else x
    if x.is_float:
        return _round(x, dtype) if dtype.is_float else _saturate(x, dtype)
    if dtype.is_float:
        wide = wide_type(dtype)
        convert = arith.uitofp if x.dtype.is_unsigned else arith.sitofp
        return cast(Scalar(convert(memory_element(wide), x.value), wide), dtype)
    return _resize(x, dtype)


def _round(x: Scalar, dtype: DType) -> Scalar:
    """Round a real number to another format; 16-bit formats are rounded from float32."""
    narrow = dtype.bits < x.dtype.bits
    if narrow and x.dtype is DType.F64 and dtype.bits < 32:
        return _round(_round(x, DType.F32), dtype)
    return Scalar((arith.truncf if narrow else arith.extf)(memory_element(dtype), x.value), dtype)


def _resize(x: Scalar, dtype: DType) -> Scalar:
    if dtype.bits == x.dtype.bits:
        return Scalar(x.value, dtype)
    if dtype.bits < x.dtype.bits:
        return Scalar(arith.trunci(memory_element(dtype), x.value), dtype)
    return Scalar((arith.extui if x.dtype.is_unsigned else arith.extsi)(memory_element(dtype), x.value), dtype)


def _saturate(x: Scalar, dtype: DType) -> Scalar:
    limits = np.iinfo(dtype.numpy)
    above = x >= 2.0 ** (limits.bits - (limits.min < 0))
    below = x <= float(limits.min)
    inside = select(above | below | is_nan(x), x.like(0), x)
    convert = arith.fptoui if dtype.is_unsigned else arith.fptosi
    whole = Scalar(convert(memory_element(dtype), inside.value), dtype)
    return select(above, whole.like(int(limits.max)), select(below, whole.like(int(limits.min)), whole))


def load(value: ir.Value, dtype: DType) -> Scalar:
    """Convert an element in memory to the type of computations."""
    return cast(Scalar(value, dtype), wide_type(dtype))


def store(x: Scalar, dtype: DType) -> ir.Value:
    """Convert a value to its type in memory."""
    return cast(x, dtype).value
