"""Matmuls of complex numbers, four of real parts, as three or one."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import NamedTuple

from ttstack.dialects.ttir import views
from ttstack.dialects.ttir.build import concat_along, slice_along
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.types import read_type
from ttstack.mlir import func, ir
from ttstack.passes.functions import body
from ttstack.passes.rewriting.candidates import GroupCandidate, Replacement
from ttstack.passes.rewriting.rewrite import rewrite
from ttstack.passes.stages import Stage
from ttstack.passes.ttir.matmuls.merge_parallel_matmuls import merge_parallel_matmuls
from ttstack.passes.ttir.queries.compile_time import parameters


@rewrite(
    "complex-matmul",
    if_faster=True,
    then=[merge_parallel_matmuls],
    stage=Stage.MATMULS,
    before={"batch-matmul-over-time": "it merges two of the four matmuls"},
)
def complex_matmul(function: func.FuncOp) -> Iterator[Iterator[GroupCandidate]]:
    """`a c - b d` and `a d + b c` as three matmuls with sums of factors, or as one with both parts of a constant.

    The first saves a quarter of the multiplications: `a (c + d)`, `(b - a) c` and `(a + b) d`. The second is `[a b]`
    times the blocks `[c d; -d c]`, which fills tiles if parts are narrow.
    """
    for product in reversed(_products(function)):  # later ones first, as their factors can be results of earlier ones
        yield _candidates(product)


class _Product(NamedTuple):
    """The product of `a + b i` and `c + d i`, and both parts of its result."""

    a: ir.Value
    b: ir.Value
    c: ir.Value
    d: ir.Value
    re: ir.Value
    im: ir.Value

    def build(self, parts: Callable[["_Product"], tuple[ir.Value, ir.Value]]) -> Replacement:
        """Build both parts where the later one of them is computed."""
        owners = [ir.OpResult(value).owner.operation for value in (self.re, self.im)]
        later = owners[1] if owners[0].is_before_in_block(owners[1]) else owners[0]
        with ir.InsertionPoint(later), later.location:
            return dict(zip((self.re, self.im), parts(self), strict=True))


def _products(function: func.FuncOp) -> list[_Product]:
    """Return the complex matmuls of a function, each op in one."""
    sums: dict[frozenset[ir.Value], list[ir.Value]] = {}
    for add in map(views.Add, (op for op in body(function) if op.name == views.Add.op_name)):
        sums.setdefault(frozenset([add.lhs, add.rhs]), []).append(add.first_result)
    found: list[_Product] = []
    for op in body(function):
        if op.name == views.Subtract.op_name:
            found += _product_of(views.Subtract(op), sums)
    return found


def _product_of(difference: views.Subtract, sums: dict[frozenset[ir.Value], list[ir.Value]]) -> Iterator[_Product]:
    first, second = views.Matmul.of(difference.lhs), views.Matmul.of(difference.rhs)
    if first is None or second is None or not (_is_plain(first) and _is_plain(second)):
        return
    a, c, b, d = first.a, first.b, second.a, second.b
    for pair, values in sums.items():
        factors = {(m.a, m.b) for m in map(views.Matmul.of, pair) if m is not None and _is_plain(m)}
        if factors == {(a, d), (b, c)} and len(pair) == len(factors):
            yield _Product(a, b, c, d, difference.first_result, values[0])
            return


def _is_plain(matmul: views.Matmul) -> bool:
    return not (matmul.transpose_a or matmul.transpose_b or matmul.activation)


def _candidates(product: _Product) -> Iterator[GroupCandidate]:
    known = parameters()
    left, right = ([known.about(v) is not None for v in pair] for pair in (product[:2], product[2:4]))
    if read_type(product.a.type) == read_type(product.b.type) and read_type(product.c.type) == read_type(
        product.d.type
    ):
        yield partial(product.build, _three)
        yield partial(product.build, _three_of_sums)
        if all(right):
            yield partial(product.build, _columns)
        if all(left):
            yield partial(product.build, _rows)


def _three(p: _Product) -> tuple[ir.Value, ir.Value]:
    """Sums of `c` and `d` are constants if these are."""
    shared = ttir.matmul(ttir.add(p.a, p.b), p.c)
    re = ttir.subtract(shared, ttir.matmul(p.b, ttir.add(p.c, p.d)))
    return re, ttir.add(shared, ttir.matmul(p.a, ttir.subtract(p.d, p.c)))


def _three_of_sums(p: _Product) -> tuple[ir.Value, ir.Value]:
    """Sums of `a` and `b` are constants if these are."""
    shared = ttir.matmul(p.a, ttir.add(p.c, p.d))
    re = ttir.subtract(shared, ttir.matmul(ttir.add(p.a, p.b), p.d))
    return re, ttir.add(shared, ttir.matmul(ttir.subtract(p.b, p.a), p.c))


def _columns(p: _Product) -> tuple[ir.Value, ir.Value]:
    columns = read_type(p.c.type).rank - 1
    upper = concat_along([p.c, p.d], columns)
    lower = concat_along([ttir.neg(p.d), p.c], columns)
    matrix = concat_along([upper, lower], columns - 1)
    both = ttir.matmul(concat_along([p.a, p.b], read_type(p.a.type).rank - 1), matrix)
    return _halves(both, -1)


def _rows(p: _Product) -> tuple[ir.Value, ir.Value]:
    columns = read_type(p.a.type).rank - 1
    upper = concat_along([p.a, ttir.neg(p.b)], columns)
    lower = concat_along([p.b, p.a], columns)
    matrix = concat_along([upper, lower], columns - 1)
    both = ttir.matmul(matrix, concat_along([p.c, p.d], read_type(p.c.type).rank - 2))
    return _halves(both, -2)


def _halves(value: ir.Value, dim: int) -> tuple[ir.Value, ir.Value]:
    shape: Sequence[int] = read_type(value.type).shape
    at, half = len(shape) + dim, shape[dim] // 2
    return slice_along(value, at, 0, half), slice_along(value, at, half, 2 * half)
