"""Products of a batch whose rows are too wide for the kernel of batches, as several products."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from ttstack.dialects.base import definition_of
from ttstack.dialects.ttir.build import reshape_to, slice_as
from ttstack.dialects.ttir.builders import ttir
from ttstack.mlir import ir
from ttstack.ops.base import MAX_VARIADIC, Op
from ttstack.ops.indexing import SliceStatic
from ttstack.ops.matmul import Matmul
from ttstack.ops.shape import Concat
from ttstack.ops.types import TILE, TensorType
from ttstack.passes.base import Pass
from ttstack.passes.rewriting.pattern import apply_patterns
from ttstack.passes.rewriting.prices import Prices

_BATCHED = 3
"""Dimensions of a batch of matrices."""


class LegalizeBatchedMatmul(Pass, name="legalize-batched-matmul"):
    """Cut a product of a batch of matrices that does not fit L1 into products that do.

    Its kernel holds whole rows of the result. Either each matrix is multiplied by itself, or pieces of columns are:
    whichever is predicted to be faster. A module without a device is unchanged.
    """

    def run(self, module: ir.Module) -> None:
        """Look at each product of a batch by itself."""
        if (prices := Prices.of(module)) is not None:
            apply_patterns(module, [("ttir.matmul", partial(_fit, prices=prices))])


@dataclass(frozen=True)
class _ProductCuts:
    """Slices of the operands for each of several products, and along which dimension results are concatenated."""

    product: Matmul
    parts: Sequence[tuple[SliceStatic, SliceStatic]]
    flat: bool
    """Whether each part is one matrix, without a batch."""
    dim: int

    def ops(self) -> list[Op]:
        """What it takes to do it; of parts all but the last are alike."""
        (first, *_, last) = self.parts
        products = [self._multiply(*part) for part in (first, last)]
        slices = [[cut for cut in part if cut.results[0] != cut.input] for part in (first, last)]
        whole = len(self.parts) - 1
        results = [self._shaped(p.results[0]) for p in products]
        joined = Concat.on([*[results[0]] * whole, results[1]], {"dim": self.dim})
        return [*[products[0], *slices[0]] * whole, products[1], *slices[1], joined]

    def build(self, a: ir.Value, b: ir.Value) -> ir.Value:
        """The parts of the result, concatenated."""
        made = list[ir.Value]()
        for cut_a, cut_b in self.parts:
            product = self._multiply(cut_a, cut_b)
            types = [t.shape for t in product.operands]
            operands = [reshape_to(slice_as(a, cut_a), types[0]), reshape_to(slice_as(b, cut_b), types[1])]
            found = ttir.matmul(*operands, **product.attributes())
            made.append(reshape_to(found, self._shaped(product.results[0]).shape))
        return ttir.concat(*made, dim=self.dim)

    def _multiply(self, a: SliceStatic, b: SliceStatic) -> Matmul:
        types = [c.results[0].with_shape(c.results[0].shape[-2:]) if self.flat else c.results[0] for c in (a, b)]
        found = Matmul.on(types, self.product.attributes())
        assert isinstance(found, Matmul)
        return found

    def _shaped(self, t: TensorType) -> TensorType:
        return t.with_shape((1, *t.shape)) if self.flat else t


def _fit(op: ir.Operation, prices: Prices) -> list[ir.Value] | None:
    product = definition_of(op)
    assert isinstance(product, Matmul)
    a, b, result = product.a, product.b, product.results[0]
    if b.rank < _BATCHED or a.shape[:-2] != b.shape[:-2] or not result.size or prices.latency_of(product) < math.inf:
        return None
    batch = math.prod(b.shape[:-2])
    flat = [t.with_shape((batch, *t.shape[-2:])) for t in (a, b)]
    whole = Matmul.on(flat, product.attributes())
    assert isinstance(whole, Matmul)
    cuts = [(cut, prices.sum_of(cut.ops())) for cut in _cuts(whole)]
    fitting = [(cut, ns) for cut, ns in cuts if ns < math.inf]
    if not fitting:
        return None
    cut, _ = min(fitting, key=lambda found: found[1])
    operands = [reshape_to(value, t.shape) for value, t in zip(op.operands, flat, strict=True)]
    return [reshape_to(cut.build(operands[0], operands[1]), result.shape)]


def _cuts(product: Matmul) -> Iterator[_ProductCuts]:
    """Each matrix by itself, then ever narrower pieces of columns."""
    a, b, (_, columns, _) = product.a, product.b, product.mnk
    batch = b.shape[0]
    if 1 < batch <= MAX_VARIADIC:
        alone = [(_part(a, 0, i, i + 1), _part(b, 0, i, i + 1)) for i in range(batch)]
        yield _ProductCuts(product, alone, flat=True, dim=0)
    along, width = (1 if product.transpose_b else 2), columns
    while width > TILE:
        width = -(-width // (2 * TILE)) * TILE
        begins = range(0, columns, width)
        if len(begins) <= MAX_VARIADIC:
            pieces = [(_part(a, 0, 0, batch), _part(b, along, n, min(n + width, columns))) for n in begins]
            yield _ProductCuts(product, pieces, flat=False, dim=2)


def _part(t: TensorType, dim: int, begin: int, end: int) -> SliceStatic:
    begins, ends = [0] * t.rank, [*t.shape]
    begins[dim], ends[dim] = begin, end
    return SliceStatic(input=t, begins=tuple(begins), ends=tuple(ends), step=(1,) * t.rank)
