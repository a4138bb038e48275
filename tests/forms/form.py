"""One op in one form, as TTIR spells it, and what its definition gives on the same operands."""

import re
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from ttstack.ops.types import DType

Array = np.ndarray[Any, Any]

REALS = ("f32", "bf16", "f16", "f64")
INTEGERS = ("i32", "ui8", "ui16", "ui32", "i64", "si32")
NUMBERS = (*REALS, *INTEGERS)

TOLERANCE = {"f64": 1e-9, "f32": 5e-6, "f16": 2.0**-10, "bf16": 2.0**-7}
"""Relative to the largest element: results of kernels are rounded once, to nearest, and so may be what they read."""

_TYPE = re.compile(r"((?:\d+x)*)(.+)")


@dataclass(frozen=True)
class Type:
    """`4x8xbf16` as a shape and an element type."""

    text: str

    @cached_property
    def shape(self) -> tuple[int, ...]:
        return tuple(int(e) for e in self._parts[0].split("x") if e)

    @cached_property
    def element(self) -> str:
        """The element type; of a quantized one, that of the integers that are stored."""
        element = self._parts[1]
        stored = re.match(r"!quant\.uniform<([ui])(\d+)", element)
        return f"{'ui' if stored[1] == 'u' else 'i'}{stored[2]}" if stored else element

    @property
    def numpy(self) -> np.dtype[Any]:
        return DType(self.element).numpy

    @property
    def _parts(self) -> tuple[str, str]:
        found = _TYPE.fullmatch(self.text)
        assert found, self.text
        return found[1], found[2]


@dataclass(frozen=True)
class Form:
    """A function of one op. `given` are operands with values of their own, by number."""

    op: str
    operands: str
    """Types, apart by blanks: `4x8xf32 4x1xbf16`."""
    results: str
    reference: Callable[..., Any]
    """From operands in float64, int64 or bool to the result, or all of them."""
    attributes: str = ""
    given: Mapping[int, Any] = field(default_factory=dict)
    low: float = 0.25
    high: float = 2.0

    def __str__(self) -> str:
        return f"{self.op}({self.operands})->{self.results} {self.attributes}".strip()

    @cached_property
    def arguments(self) -> list[Type]:
        return [Type(t) for t in self.operands.split()]

    @cached_property
    def returned(self) -> list[Type]:
        return [Type(t) for t in self.results.split()]

    def function(self, name: str) -> str:
        """The text of a function of that name, of all operands, that returns all results."""
        return function(name, self.op, self.operands.split(), self.results.split(), self.attributes)

    def arrays(self) -> list[Array]:
        """The same operands each time: reals between `low` and `high`, integers from 1 to 5."""
        rng = np.random.default_rng(zlib.crc32(str(self).encode()))
        return [self._array(rng, i, t) for i, t in enumerate(self.arguments)]

    def _array(self, rng: np.random.Generator, number: int, t: Type) -> Array:
        if number in self.given:
            return np.broadcast_to(np.asarray(self.given[number]), t.shape).astype(t.numpy)
        if t.numpy.kind in "iu":
            return rng.integers(1, 6, t.shape).astype(t.numpy)
        if t.numpy.kind == "b":
            return rng.integers(0, 2, t.shape).astype(bool)
        return rng.uniform(self.low, self.high, t.shape).astype(t.numpy)

    def expected(self) -> Sequence[Array]:
        """What the definition gives, in the widest type of its kind."""
        made = self.reference(*map(_wide, self.arrays()))
        return made if isinstance(made, tuple) else (made,)


def function(name: str, op: str, operands: Sequence[str], results: Sequence[str], attributes: str) -> str:
    """The text of a function of one op."""
    types, out = (", ".join(f"tensor<{t}>" for t in side) for side in (operands, results))
    arguments = ", ".join(f"%arg{i}: tensor<{t}>" for i, t in enumerate(operands))
    names = ", ".join(f"%arg{i}" for i in range(len(operands)))
    many = f":{len(results)}" if len(results) > 1 else ""
    returned = ", ".join(f"%0#{i}" for i in range(len(results))) if many else "%0"
    return (
        f"func.func @{name}({arguments}) -> ({out}) {{\n"
        f'  %0{many} = "ttir.{op}"({names}) <{{{attributes}}}> : ({types}) -> ({out})\n'
        f"  return {returned} : {out}\n}}\n"
    )


def assert_is(got: Array, want: Any, t: Type) -> None:
    """Integers and truth values are the same, reals as near as the type can tell."""
    assert (got.dtype, got.shape) == (t.numpy, t.shape)
    wanted = np.asarray(want)
    if t.numpy.kind == "b":
        np.testing.assert_array_equal(got, wanted != 0)
    elif t.numpy.kind in "iu":
        np.testing.assert_array_equal(got.astype(np.int64), np.trunc(wanted).astype(np.int64))
    else:
        rtol = TOLERANCE[t.element]
        scale = np.abs(wanted[np.isfinite(wanted)]).max(initial=0.0)
        np.testing.assert_allclose(got.astype(np.float64), wanted, rtol=rtol, atol=rtol * scale)


def _wide(x: Array) -> Array:
    if x.dtype.kind == "b":
        return x
    return x.astype(np.int64 if x.dtype.kind in "iu" else np.float64)
