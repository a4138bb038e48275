"""Masks of attention that positions decide: which keys a query sees, whatever way the model computes it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from ttstack.dialects.base import definition, describe
from ttstack.dialects.defining_op import defining_op
from ttstack.dialects.types import read_type
from ttstack.mlir import ir
from ttstack.ops.eltwise import Eltwise
from ttstack.ops.types import DType
from ttstack.passes.dataflow import Facts
from ttstack.passes.ttir.attention_scores import HIDDEN
from ttstack.passes.ttir.compile_time import constant_elements
from ttstack.passes.ttir.views import VIEWS

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Affine:
    """Integers `keys * j + rows * base + offset`, where `j` counts along the last dimension."""

    keys: int = 0
    rows: int = 0
    base: ir.Value | None = None
    """Integers that are the same all along the last dimension, where `rows` is not 0."""
    offset: int = 0

    def plus(self, other: "Affine", sign: int) -> "Affine | None":
        """The sum, or with `sign` -1 the difference; None where both have a base."""
        if self.base is not None and other.base is not None:
            return None
        if Affine() in (self, other) and not self.keys + other.keys:
            return None  # the sum is a base of its own: others who add nothing share it
        base = self.base if self.base is not None else other.base
        parts = ((a, sign * b) for a, b in ((self.keys, other.keys), (self.rows, other.rows)))
        keys, rows = map(sum, parts)
        return Affine(keys, rows, base, self.offset + sign * other.offset)


@dataclass(frozen=True)
class Bound:
    """Keys up to position `base + offset`, or from it on."""

    base: ir.Value
    offset: int
    is_last: bool

    @property
    def complement(self) -> "Bound":
        """All other keys."""
        return Bound(self.base, self.offset + (1 if self.is_last else -1), not self.is_last)


@dataclass(frozen=True)
class KeyChoice:
    """One number for keys within all bounds, another for all others."""

    bounds: frozenset[Bound]
    inside: float
    outside: float

    def spellings(self) -> tuple["KeyChoice", ...]:
        """The choice, and by the keys outside of it where these are within a bound too."""
        if len(self.bounds) > 1:
            return (self,)
        (bound,) = self.bounds
        return self, KeyChoice(frozenset({bound.complement}), self.outside, self.inside)


Fact = Affine | KeyChoice | float | None
"""What is known of a value; a number where it is that everywhere."""


@dataclass(frozen=True)
class Seen:
    """A query sees the keys up to its position, `base + offset`; the last `window` of them, or all."""

    base: ir.Value
    offset: int
    window: int | None = None


class SeenKeys:
    """What masks say, each looked at once."""

    def __init__(self) -> None:
        self._facts: Facts[Fact] = Facts(_is_followed, _transfer)

    def about(self, mask: ir.Value) -> Seen | None:
        """The keys that a mask to add leaves visible; None where it adds anything, or more than positions decide."""
        fact = self._facts.about(mask)
        ways = fact.spellings() if isinstance(fact, KeyChoice) else ()
        found = next((way for way in ways if way.inside == 0 and way.outside <= HIDDEN), None)
        if found is None:
            return None
        first, last = ([b for b in found.bounds if b.is_last is which] for which in (False, True))
        if len(last) != 1 or len(first) > 1 or any(b.base != last[0].base for b in first):
            return None
        window = last[0].offset - first[0].offset + 1 if first else None
        return Seen(last[0].base, last[0].offset, window) if window is None or window > 0 else None


def _is_followed(op: ir.Operation) -> bool:
    return op.name in _MOVED or op.name == "ttir.arange" or _is_elementwise(op)


def _is_elementwise(op: ir.Operation) -> bool:
    spec = definition(op)
    return spec is not None and issubclass(spec, Eltwise) and len(op.results) == 1


def _transfer(value: ir.Value, op: ir.Operation | None, operands: Sequence[Fact]) -> Fact:
    known = _known(value)
    if known is not None:
        return known
    found = None
    if op is not None:
        found = _moved(value, operands[0]) if op.name in _MOVED else _computed(op, operands)
    return _base(value) if found is None else found


def _known(value: ir.Value) -> Fact:
    """A number, or positions in order."""
    made_by = defining_op(value)
    if made_by is None:
        return None
    if made_by.name == "ttir.full":
        return float(describe(made_by).attributes()["fill_value"])
    if made_by.name == "ttir.arange":
        along = describe(made_by).attributes()
        counts = along["arange_dimension"] % read_type(value.type).rank == read_type(value.type).rank - 1
        return Affine(1, offset=along["start"]) if counts and along["step"] == 1 else None
    return None if (elements := constant_elements(value)) is None else _of_elements(elements)


def _of_elements(elements: Array) -> Fact:
    if not elements.size or elements.ndim == 0:
        return float(elements) if elements.size else None
    if (elements == elements.flat[0]).all():
        return float(elements.flat[0])
    line = elements.reshape(-1, elements.shape[-1])
    counts = elements.dtype.kind in "iu" and (np.diff(line.astype(np.int64)) == 1).all() and (line == line[0]).all()
    return Affine(1, offset=int(line[0, 0])) if counts else None


def _base(value: ir.Value) -> Fact:
    """Integers that are the same for all keys stand for themselves."""
    t = read_type(value.type)
    whole = isinstance(t.dtype, DType) and not t.dtype.is_float and t.dtype is not DType.I1
    return Affine(rows=1, base=value) if whole and t.shape[-1:] in ((), (1,)) else None


def _moved(value: ir.Value, fact: Fact) -> Fact:
    """The same after a view or a broadcast, which must leave what differs from key to key along the last dimension."""
    if isinstance(fact, float):
        return fact
    maker = ir.OpResult(value).owner.operation
    before, after = (read_type(v.type).shape[-1:] for v in (maker.operands[0], value))
    alike = isinstance(fact, Affine) and not fact.keys and (before if maker.name == _BROADCAST else after) in ((), (1,))
    return fact if before == after or alike else None


def _computed(op: ir.Operation, operands: Sequence[Fact]) -> Fact:
    if any(fact is None for fact in operands):
        return None
    name = op.name.removeprefix("ttir.")
    if name == "typecast" and isinstance(operands[0], Affine):
        return operands[0] if not read_type(op.results[0].type).dtype.is_float else None
    if any(isinstance(fact, Affine) for fact in operands):
        lines = [Affine(offset=int(f)) if isinstance(f, float) else f for f in operands]
        rule = _ON_LINES.get(name)
        return rule(*lines) if rule and all(isinstance(line, Affine) for line in lines) else None
    return _chosen(op, operands)


def _chosen(op: ir.Operation, operands: Sequence[Fact]) -> Fact:
    """An elementwise function of choices: one where only being within all bounds tells its values apart."""
    choices = list(dict.fromkeys(fact for fact in operands if isinstance(fact, KeyChoice)))
    for spelled in product(*(choice.spellings() for choice in choices)):
        said = dict(zip(choices, spelled, strict=True))
        found = _together(op, [said[fact] if isinstance(fact, KeyChoice) else fact for fact in operands])
        if found is not None:
            return found
    return None


def _together(op: ir.Operation, operands: Sequence[Fact]) -> Fact:
    bounds = list(dict.fromkeys(fact.bounds for fact in operands if isinstance(fact, KeyChoice)))
    ways = product((True, False), repeat=len(bounds))
    cases = {way: _at(op, operands, dict(zip(bounds, way, strict=True))) for way in ways}
    within = cases.pop((True,) * len(bounds))
    if not bounds:
        return within
    first, *others = cases.values()
    hidden = first <= HIDDEN
    if all(other == first or (hidden and other <= HIDDEN) for other in others):
        return KeyChoice(frozenset[Bound]().union(*bounds), within, first)
    return None


def _at(op: ir.Operation, operands: Sequence[Fact], inside: dict[frozenset[Bound], bool]) -> float:
    """The function's value where a key is within these bounds, and not within the others."""
    from ttstack_runtime.evaluate import evaluate  # takes 4 MiB: few models have such masks

    numbers = [(f.inside if inside[f.bounds] else f.outside) if isinstance(f, KeyChoice) else f for f in operands]
    found = describe(op)
    arrays = [np.asarray(x).astype(t.dtype.numpy) for x, t in zip(numbers, found.operands, strict=True)]
    return float(evaluate(found, arrays)[0])


def _compared(least: int, *, turned: bool) -> Callable[[Affine, Affine], Fact]:
    """Whether a line is at least another, or above it where `least` is 1; the other way round where `turned`."""

    def rule(a: Affine, b: Affine) -> Fact:
        above = (b if turned else a).plus(a if turned else b, -1)
        match above:
            case Affine(keys=-1, rows=1, base=ir.Value() as base, offset=offset):
                return KeyChoice(frozenset({Bound(base, offset - least, is_last=True)}), 1.0, 0.0)
            case Affine(keys=1, rows=-1, base=ir.Value() as base, offset=offset):
                return KeyChoice(frozenset({Bound(base, least - offset, is_last=False)}), 1.0, 0.0)
            case _:
                return None

    return rule


_ON_LINES: dict[str, Callable[..., Fact]] = {
    "add": lambda a, b: a.plus(b, 1),
    "subtract": lambda a, b: a.plus(b, -1),
    "ge": _compared(0, turned=False),
    "gt": _compared(1, turned=False),
    "le": _compared(0, turned=True),
    "lt": _compared(1, turned=True),
}
_BROADCAST = "ttir.broadcast"
_MOVED = frozenset({*VIEWS, _BROADCAST})
