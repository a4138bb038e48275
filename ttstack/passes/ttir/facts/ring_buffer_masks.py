"""Masks of ring buffer caches, by the position that each row was written at."""

from collections.abc import Sequence
from dataclasses import replace

from ttstack.dialects.types import read_type
from ttstack.mlir import ir
from ttstack.passes.ttir.facts.key_facts import Affine, Age, Bound, Fact, KeyChoice, Written


def age_of(line: Affine, count: Affine) -> Fact:
    """Return the remainder of `base - j` by a number."""
    match line, count:
        case Affine(keys=-1, rows=1, base=ir.Value() as base, offset=0), Affine(keys=0, rows=0, base=None, offset=rows):
            return Age(base, rows) if rows > 0 else None
        case _:
            return None


def ring_fact(op: ir.Operation, operands: Sequence[Fact]) -> Fact:
    """Derive the fact of an op on ages, or on positions computed from them; keys must be rows of one ring."""
    name = op.name.removeprefix("ttir.")
    ages = [f.age if isinstance(f, Written) else f for f in operands if isinstance(f, Age | Written)]
    if any(read_type(op.results[0].type).shape[-1] > age.count for age in ages):
        return None
    return _modulo(name, operands) or _position(name, operands) or _compared(name, operands)


def _modulo(name: str, operands: Sequence[Fact]) -> Fact:
    """Return the fact of a nonnegative remainder, computed from one with the sign of the dividend."""
    match name, *operands:
        case "lt", Age(part="remainder") as age, float(0):
            return replace(age, part="negative")
        case "add", Age(part="remainder") as age, float() as number if number == age.count:
            return replace(age, part="moved")
        case "where", Age(part="negative") as age, Age(part="moved") as moved, Age(part="remainder") as plain:
            same = replace(moved, part="") == replace(plain, part="") == replace(age, part="")
            return replace(age, part="modulo") if same else None
        case _:
            return None


def _position(name: str, operands: Sequence[Fact]) -> Fact:
    match name, *operands:
        case "subtract", Affine(keys=0, rows=1, base=ir.Value() as base, offset=0), Age(part="modulo") as age:
            return Written(age) if base == age.base else None
        case _:
            return None


def _compared(name: str, operands: Sequence[Fact]) -> Fact:
    """Return the fact of a comparison: written rows are those up to the base, less than the count before it."""
    match name, *operands:
        case ("ge", Written(age), float(0)) | ("gt", Written(age), float(-1)):
            return KeyChoice(frozenset({Bound(age.base, 0, is_last=True)}), 1.0, 0.0)
        case "lt", Written(age), float(0):
            return KeyChoice(frozenset({Bound(age.base, 0, is_last=True)}), 0.0, 1.0)
        case _, Written(age), Affine(keys=0, rows=1, base=base, offset=offset) if base == age.base:
            least, most = 1 - age.count, 0
            always = {"le": most <= offset, "lt": most < offset, "ge": least >= offset, "gt": least > offset}
            return 1.0 if always.get(name) else None
        case "lt", Age(part="modulo") as age, float() as number if number >= age.count:
            return 1.0
        case _:
            return None
