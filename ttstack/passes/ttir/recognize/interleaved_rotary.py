"""Recognition of rotary embeddings of neighbours, decomposed to slices, multiplications and additions."""

from collections.abc import Iterator, Sequence
from itertools import permutations, product

from ttstack.dialects.ttir.build import reshape_to
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.ttir.destination import pure_producer
from ttstack.dialects.types import read_type
from ttstack.mlir import ir
from ttstack.passes.rewriting.pattern import Pattern
from ttstack.passes.ttir.queries.aliases import VIEWS
from ttstack.passes.ttir.queries.producers import find_producer, negation
from ttstack.passes.ttir.recognize.interleaved_pairs import every_second, in_turn
from ttstack.passes.ttir.recognize.partial_ops import on_all
from ttstack.passes.ttir.recognize.repeated_elements import double, find_single


def rotate_neighbours(rotated: ir.Value, x: ir.Value, cos: ir.Value, sin: ir.Value) -> ir.Value | None:
    """Build `x * cos + rotated * sin` as one op, if `rotated` has the pairs (a, b) of each row of `x` as (-b, a)."""
    view = pure_producer(rotated, *VIEWS)
    parts = in_turn(find_producer(view and view.operands[0], "concat"))
    if parts is None or read_type(rotated.type) != read_type(x.type):
        return None
    second, first = negation(parts[0]), parts[1]
    if second is None or (every_second(first), every_second(second)) != ((x, 0), (x, 1)):
        return None
    tables = [v if (half := find_single(v)) is None else double(half) for v in (cos, sin)]
    return ttir.rotary_embedding(x, *tables, interleaved=True)


def _stack(op: ir.Operation) -> list[ir.Value] | None:
    """Match alternating `a * cos - b * sin` and `a * sin + b * cos` of the pairs (a, b) of each row."""
    if (parts := in_turn(op)) is None:
        return None
    for a, cos, b, sin in rotated_pairs(*parts):
        first, second, lines = every_second(a), every_second(b), read_type(parts[0].type).shape
        if first is None or second != (first[0], 1) or first[1] != 0 or read_type(a.type).shape != lines:
            continue
        if all(read_type(t.type).shape[-1:] == lines[-1:] for t in (cos, sin)):
            x = reshape_to(first[0], (*lines[:-1], 2 * lines[-1]))
            rotated = ttir.rotary_embedding(x, double(cos), double(sin), interleaved=True)
            return [reshape_to(rotated, (*lines, 2))]
    return None


def rotated_pairs(first: ir.Value, second: ir.Value) -> Iterator[tuple[ir.Value, ir.Value, ir.Value, ir.Value]]:
    """Yield candidates for a, cos, b and sin if values are `a * cos - b * sin` and `a * sin + b * cos`."""
    less, more = find_producer(first, "subtract"), find_producer(second, "add")
    if less is None or more is None:
        return
    sums = [factors for order in permutations(more.operands) for factors in _products(*order)]
    for a, cos, b, sin in _products(*less.operands):
        if (a, sin, b, cos) in sums:
            yield a, cos, b, sin


def _products(first: ir.Value, second: ir.Value) -> Iterator[tuple[ir.Value, ir.Value, ir.Value, ir.Value]]:
    """Yield both factors of both products, in every order."""
    products = [find_producer(v, "multiply") for v in (first, second)]
    if products[0] is not None and products[1] is not None:
        for a, b in product(*(permutations(p.operands) for p in products if p is not None)):
            yield a[0], a[1], b[0], b[1]


PATTERNS: Sequence[tuple[str, Pattern]] = (("ttir.concat", _stack), ("ttir.concat", on_all))
