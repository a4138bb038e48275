"""Narrow products of one operand as one, whose columns are cut out of its result."""

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

from ttstack.dialects.base import describe
from ttstack.dialects.ttir.build import slice_as
from ttstack.dialects.types import read_type
from ttstack.mlir import func, ir
from ttstack.ops.indexing import SliceStatic
from ttstack.ops.matmul import Matmul
from ttstack.ops.types import TensorType
from ttstack.passes.base import Pass
from ttstack.passes.functions import body, functions
from ttstack.passes.ttir.joined_product import earliest, has_bias, has_known_columns, side_by_side, widen
from ttstack.passes.ttir.price import Prices
from ttstack.passes.ttir.producers import MATMULS


@dataclass(frozen=True)
class _Sibling:
    """A product of rows with a matrix that is known."""

    product: ir.Operation
    matmul: Matmul

    @property
    def columns(self) -> int:
        """Columns of its result."""
        return self.matmul.mnk[1]

    @property
    def kind(self) -> tuple[Hashable, ...]:
        """What it has in common with those that it can be one with."""
        return self.product.operands[0], self.matmul.transpose_b, self.matmul.b.dtype


class JoinColumns(Pass, name="join-columns"):
    """Products of one operand become one where that and cuts of its columns are predicted to take clearly less time.

    So keys and values of one head are columns of the queries' product, which few cores would compute by themselves.
    """

    max_bytes: int = 1 << 28
    """Weights that are larger together stay apart."""
    saved: float = 0.1
    """The least share of the time of the products that is saved; what becomes of their formats has no price here."""

    def run(self, module: ir.Module) -> None:
        """Look at every function."""
        if (prices := Prices.of(module)) is not None:
            for function in functions(module):
                for siblings in _siblings(function):
                    if best := self._best(siblings, prices):
                        _join(best)

    def _best(self, siblings: Sequence[_Sibling], prices: Prices) -> Sequence[_Sibling]:
        """Those of the narrowest that save most together; none where nothing saves enough."""
        found: Sequence[_Sibling] = ()
        most = 0.0
        for count in range(2, len(siblings) + 1):
            joined = siblings[:count]
            if sum(read_type(s.product.operands[1].type).nbytes for s in joined) > self.max_bytes:
                break
            now = prices.total(s.matmul for s in joined)
            saved = now - prices.total(_instead(joined))
            if saved > max(most, self.saved * now):
                found, most = joined, saved
        return found


def _siblings(function: func.FuncOp) -> list[list[_Sibling]]:
    """Products of one operand, the narrowest first."""
    found: dict[Hashable, list[_Sibling]] = {}
    for op in body(function):
        matmul = describe(op) if op.name in MATMULS else None
        if isinstance(matmul, Matmul) and not matmul.transpose_a and has_known_columns(op, matmul):
            found.setdefault((sibling := _Sibling(op, matmul)).kind, []).append(sibling)
    return [sorted(group, key=lambda s: s.columns) for group in found.values() if len(group) > 1]


def _instead(joined: Sequence[_Sibling]) -> Iterator[Matmul | SliceStatic]:
    """One product, and what cuts the result of each out of it."""
    first, biased = joined[0].matmul, any(has_bias(s.product) for s in joined)
    product = widen(first, first.a, sum(s.columns for s in joined), biased=biased)
    yield product
    yield from _cuts(product.results[0], joined)


def _cuts(whole: TensorType, joined: Sequence[_Sibling]) -> Iterator[SliceStatic]:
    ends = list(accumulate(s.columns for s in joined))
    lead = (0,) * (whole.rank - 1)
    for sibling, end in zip(joined, ends, strict=True):
        begins, upto = (*lead, end - sibling.columns), (*whole.shape[:-1], end)
        yield SliceStatic(input=whole, begins=begins, ends=upto, step=(1,) * whole.rank)


def _join(joined: Sequence[_Sibling]) -> None:
    products = [sibling.product for sibling in joined]
    first = earliest(products)
    with ir.InsertionPoint(first), first.location:
        whole = side_by_side(first.operands[0], products)
    for product, cut in zip(products, _cuts(read_type(whole.type), joined), strict=True):
        with ir.InsertionPoint(product), product.location:
            product.results[0].replace_all_uses_with(slice_as(whole, cut))
        product.erase()
