"""Indexing maps of `ttir.generic`: loops that go along dimensions, and digits of an index that pick slices."""

import re
from functools import cache

from ttstack.mlir import ir
from ttstack.ops.loops import IndexingMap, Pick


@cache
def read_map(text: str) -> tuple[tuple[int | None, ...], Pick | None]:
    """The loop of each result of a map, None for a constant; what the symbol, an index, picks along the first.

    The bindings give no access but the text.
    """
    _, _, results = text.partition("->")
    terms = [term.strip() for term in results.strip().removesuffix(">").strip()[1:-1].split(",") if term.strip()]
    pick = _read_pick(terms[0]) if terms else None
    if pick is not None:
        terms[0] = "0"
    if any(not re.fullmatch(r"d\d+|0", term) for term in terms):
        raise ValueError(f"{text} is not a projection of the loops")
    return tuple(None if term == "0" else int(term[1:]) for term in terms), pick


def map_attribute(m: IndexingMap, loops: int) -> ir.Attribute:
    """The affine map of so many loops."""
    results = [ir.AffineExpr.get_constant(0) if x is None else ir.AffineExpr.get_dim(x) for x in m.loops]
    if m.pick is not None:
        results = [_digit(m.pick), *results[1:]]
    return ir.AffineMapAttr.get(ir.AffineMap.get(loops, int(m.pick is not None), results))


def _read_pick(term: str) -> Pick | None:
    """`s0 floordiv 50`, `(s0 floordiv 10) mod 5`, `s0 mod 10` or `s0`."""
    found = re.fullmatch(r"\(?s0(?: floordiv (\d+))?\)?(?: mod (\d+))?", term)
    return Pick(int(found[1] or 1), int(found[2]) if found[2] else None) if found else None


def _digit(pick: Pick) -> ir.AffineExpr:
    digit = ir.AffineExpr.get_floor_div(ir.AffineExpr.get_symbol(0), pick.divisor)
    return digit if pick.modulus is None else ir.AffineExpr.get_mod(digit, pick.modulus)
