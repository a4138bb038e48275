"""Masks of attention that depend only on positions: which keys a query sees, however the model computes it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import numpy as np

from ttstack.dialects.base import definition, definition_of
from ttstack.dialects.defining_op import defining_op
from ttstack.dialects.types import read_type
from ttstack.mlir import ir
from ttstack.ops.eltwise import Eltwise
from ttstack.ops.types import DType
from ttstack.passes.dataflow import Facts
from ttstack.passes.ttir.facts.key_facts import Affine, Age, Bound, Condition, Fact, KeyChoice, RowChoice, Written
from ttstack.passes.ttir.facts.ring_buffer_masks import age_of, ring_fact
from ttstack.passes.ttir.queries.aliases import VIEWS
from ttstack.passes.ttir.queries.compile_time import constant_elements
from ttstack.placement.element_values import HIDDEN

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Seen:
    """A query sees keys up to its position, `base + offset`: the last `window` of them, or all."""

    base: ir.Value
    offset: int
    window: int | None = None
    full: RowChoice | None = None
    """Rows that see all keys at any position."""


class VisibleKeys:
    """The visible keys of masks, analyzed once each."""

    def __init__(self) -> None:
        self._facts: Facts[Fact] = Facts(_is_followed, _transfer)

    def about(self, mask: ir.Value) -> Seen | None:
        """Return the keys that an additive mask leaves visible.

        None if it adds other values or depends on more than positions.
        """
        fact = self._facts.about(mask)
        candidates = fact.spellings() if isinstance(fact, KeyChoice) else ()
        choice = next(
            (candidate for candidate in candidates if candidate.inside == 0 and candidate.outside <= HIDDEN), None
        )
        if choice is None:
            return None
        first, last = ([b for b in choice.bounds if b.is_last is side] for side in (False, True))
        if len(last) != 1 or len(first) > 1 or any(b.base != last[0].base for b in first):
            return None
        window = last[0].offset - first[0].offset + 1 if first else None
        return Seen(last[0].base, last[0].offset, window, choice.full) if window is None or window > 0 else None


def _is_followed(op: ir.Operation) -> bool:
    return op.name in _MOVED or op.name == "ttir.arange" or _is_elementwise(op)


def _is_elementwise(op: ir.Operation) -> bool:
    spec = definition(op)
    return spec is not None and issubclass(spec, Eltwise) and len(op.results) == 1


def _transfer(value: ir.Value, op: ir.Operation | None, operands: Sequence[Fact]) -> Fact:
    constant = _constant_fact(value)
    if constant is not None:
        return constant
    fact = None
    if op is not None:
        fact = _moved(value, operands[0]) if op.name in _MOVED else _computed(op, operands)
    return _base(value) if fact is None else fact


def _constant_fact(value: ir.Value) -> Fact:
    """Return a number, or consecutive positions."""
    made_by = defining_op(value)
    if made_by is None:
        return None
    if made_by.name == "ttir.full":
        return float(definition_of(made_by).attributes()["fill_value"])
    if made_by.name == "ttir.arange":
        along = definition_of(made_by).attributes()
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
    """Return the fact of integers and truth values that are equal for all keys: they are their own base."""
    t = read_type(value.type)
    if not isinstance(t.dtype, DType) or t.dtype.is_float or t.shape[-1:] not in ((), (1,)):
        return None
    return RowChoice(value) if t.dtype is DType.I1 else Affine(rows=1, base=value)


def _moved(value: ir.Value, fact: Fact) -> Fact:
    """Return the fact after a view or a broadcast, which must keep the last dimension of facts that vary by key."""
    if isinstance(fact, float):
        return fact
    maker = ir.OpResult(value).owner.operation
    before, after = (read_type(v.type).shape[-1:] for v in (maker.operands[0], value))
    by_row = isinstance(fact, RowChoice) or (isinstance(fact, Affine) and not fact.keys)
    alike = by_row and (before if maker.name == _BROADCAST else after) in ((), (1,))
    return fact if before == after or alike else None


def _computed(op: ir.Operation, operands: Sequence[Fact]) -> Fact:
    if any(fact is None for fact in operands):
        return None
    name = op.name.removeprefix("ttir.")
    if name == "typecast" and isinstance(operands[0], Affine):
        return operands[0] if not read_type(op.results[0].type).dtype.is_float else None
    if any(isinstance(fact, Age | Written) for fact in operands):
        return ring_fact(op, operands)
    if any(isinstance(fact, Affine) for fact in operands):
        lines = [Affine(offset=int(f)) if isinstance(f, float) else f for f in operands]
        rule = _ON_LINES.get(name)
        return rule(*lines) if rule and all(isinstance(line, Affine) for line in lines) else None
    return _chosen(op, operands)


def _chosen(op: ir.Operation, operands: Sequence[Fact]) -> Fact:
    """Return the fact of an elementwise function of choices, if its value depends only on being within all bounds."""
    if rows := list(dict.fromkeys(fact.value for fact in operands if isinstance(fact, RowChoice))):
        return _by_row(op, operands, rows[0]) if len(rows) == 1 else None
    choices = list(dict.fromkeys(fact for fact in operands if isinstance(fact, KeyChoice)))
    for spelled in product(*(choice.spellings() for choice in choices)):
        assignment = dict(zip(choices, spelled, strict=True))
        result = _together(op, [assignment[fact] if isinstance(fact, KeyChoice) else fact for fact in operands])
        if result is not None:
            return result
    return None


def _by_row(op: ir.Operation, operands: Sequence[Fact], row: ir.Value) -> Fact:
    """Return the choice of rows with one truth value, if all keys of the other rows are inside."""
    choices = [
        _chosen(op, [float(fact.is_true == truth) if isinstance(fact, RowChoice) else fact for fact in operands])
        for truth in (True, False)
    ]
    for is_true, full, other in ((True, *choices), (False, *reversed(choices))):
        for choice in other.spellings() if isinstance(other, KeyChoice) else ():
            last = all(bound.is_last for bound in choice.bounds)
            if full == choice.inside and choice.full is None and len(choice.bounds) == 1 and last:
                return replace(choice, full=RowChoice(row, is_true))
    return choices[0] if choices[0] == choices[1] else None


def _together(op: ir.Operation, operands: Sequence[Fact]) -> Fact:
    conditions = list(dict.fromkeys(fact.condition for fact in operands if isinstance(fact, KeyChoice)))
    combinations = product((True, False), repeat=len(conditions))
    cases = {case: _evaluate_for(op, operands, dict(zip(conditions, case, strict=True))) for case in combinations}
    within = cases.pop((True,) * len(conditions))
    if all(other == within for other in cases.values()):
        return within
    bounds, full = zip(*conditions, strict=True)
    if len(conditions) > 1 and any(full):
        return None
    first, *others = cases.values()
    hidden = first <= HIDDEN
    if all(other == first or (hidden and other <= HIDDEN) for other in others):
        return KeyChoice(frozenset[Bound]().union(*bounds), within, first, full[0])
    return None


def _evaluate_for(op: ir.Operation, operands: Sequence[Fact], inside: Mapping[Condition, bool]) -> float:
    """Evaluate the function for a key that is within these bounds and not within the others."""
    from ttstack_runtime.evaluate import evaluate  # takes 4 MiB: few models have such masks

    numbers = [(f.inside if inside[f.condition] else f.outside) if isinstance(f, KeyChoice) else f for f in operands]
    described = definition_of(op)
    arrays = [np.asarray(x).astype(t.dtype.numpy) for x, t in zip(numbers, described.operands, strict=True)]
    return float(evaluate(described, arrays)[0])


def _compared(least: int, *, swapped: bool) -> Callable[[Affine, Affine], Fact]:
    """Return the rule for `a >= b`, or for `a > b` if `least` is 1; `swapped` exchanges `a` and `b`."""

    def rule(a: Affine, b: Affine) -> Fact:
        above = (b if swapped else a).plus(a if swapped else b, -1)
        match above:
            case Affine(keys=-1, rows=1, base=ir.Value() as base, offset=offset):
                return KeyChoice(frozenset({Bound(base, offset - least, is_last=True)}), 1.0, 0.0)
            case Affine(keys=1, rows=-1, base=ir.Value() as base, offset=offset):
                return KeyChoice(frozenset({Bound(base, least - offset, is_last=False)}), 1.0, 0.0)
            case _:
                return None

    return rule


_ON_LINES: dict[str, Callable[..., Fact]] = {
    "remainder": age_of,
    "add": lambda a, b: a.plus(b, 1),
    "subtract": lambda a, b: a.plus(b, -1),
    "ge": _compared(0, swapped=False),
    "gt": _compared(1, swapped=False),
    "le": _compared(0, swapped=True),
    "lt": _compared(1, swapped=True),
}
_BROADCAST = "ttir.broadcast"
_MOVED = frozenset({*VIEWS, _BROADCAST})
