"""Indexing maps of `generic`: loops along dimensions, and index digits that select slices."""

import re
from functools import cache

from ttstack.mlir import ir
from ttstack.ops.loops import SAME, IndexExpr, IndexingMap, Pick

_TERM = re.compile(
    r"(?P<minus>-)?\(*d(?P<loop>\d+)(?: floordiv (?P<divisor>\d+))?\)*(?: mod (?P<modulus>\d+))?\)*"
    r"(?: \* (?P<step>-?\d+))?(?: (?P<sign>[+-]) (?P<offset>\d+))?"
)


@cache
def read_map(text: str) -> IndexingMap:
    """Parse a map: the loop of each result, None for a constant, and what the symbol selects along the first.

    The symbol is an index. The bindings only give access to the text.
    """
    _, _, results = text.partition("->")
    written = [term.strip() for term in results.strip().removesuffix(">").strip()[1:-1].split(",") if term.strip()]
    pick = _read_pick(written[0]) if written else None
    if pick is not None:
        written[0] = "0"
    read = [_read_term(term) for term in written]
    places = [place for place in read if place is not None]
    if len(places) < len(read):
        raise ValueError(f"{text} is not a projection of the loops")
    terms = tuple(term for _, term in places)
    return IndexingMap(tuple(loop for loop, _ in places), pick=pick, terms=terms if set(terms) - {SAME} else ())


def map_attribute(m: IndexingMap, loops: int) -> ir.Attribute:
    """Return the affine map over `loops` loops."""
    terms = m.terms or (SAME,) * len(m.loops)
    results = [_expression(loop, term) for loop, term in zip(m.loops, terms, strict=True)]
    if m.pick is not None:
        results = [_digit(m.pick), *results[1:]]
    return ir.AffineMapAttr.get(ir.AffineMap.get(loops, int(m.pick is not None), results))


def _read_term(text: str) -> tuple[int | None, IndexExpr] | None:
    """Parse `d0`, `(d0 floordiv 4) mod 3`, `d0 * 2 + 1`, `-d0 + 7`, or 0 without a loop."""
    if text == "0":
        return None, SAME
    if (found := _TERM.fullmatch(text)) is None:
        return None
    step = int(found["step"] or 1) * (-1 if found["minus"] else 1)
    offset = int(found["offset"] or 0) * (-1 if found["sign"] == "-" else 1)
    modulus = int(found["modulus"]) if found["modulus"] else None
    return int(found["loop"]), IndexExpr(int(found["divisor"] or 1), modulus, step, offset)


def _expression(loop: int | None, term: IndexExpr) -> ir.AffineExpr:
    if loop is None:
        return ir.AffineExpr.get_constant(0)
    place = ir.AffineExpr.get_floor_div(ir.AffineExpr.get_dim(loop), term.divisor)
    place = place if term.modulus is None else ir.AffineExpr.get_mod(place, term.modulus)
    return ir.AffineExpr.get_add(ir.AffineExpr.get_mul(place, term.step), term.offset)


def _read_pick(term: str) -> Pick | None:
    """Parse `s0 floordiv 50`, `(s0 floordiv 10) mod 5`, `s0 mod 10` or `s0`."""
    found = re.fullmatch(r"\(?s0(?: floordiv (\d+))?\)?(?: mod (\d+))?", term)
    return Pick(int(found[1] or 1), int(found[2]) if found[2] else None) if found else None


def _digit(pick: Pick) -> ir.AffineExpr:
    digit = ir.AffineExpr.get_floor_div(ir.AffineExpr.get_symbol(0), pick.divisor)
    return digit if pick.modulus is None else ir.AffineExpr.get_mod(digit, pick.modulus)
