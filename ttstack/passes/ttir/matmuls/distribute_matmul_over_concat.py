"""Products of parts that lie side by side as the sum of a product of each, taken where the part is smallest."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial, reduce

from ttstack.dialects.base import definition_of
from ttstack.dialects.ttir.build import reshape_to, slice_as
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.ttir.destination import pure_producer
from ttstack.dialects.types import read_type
from ttstack.mlir import ir
from ttstack.ops.indexing import SliceStatic
from ttstack.ops.matmul import Matmul
from ttstack.ops.pool import Upsample2d
from ttstack.ops.shape import Concat
from ttstack.ops.types import DType
from ttstack.passes.base import Pass
from ttstack.passes.rewriting.pattern import apply_patterns
from ttstack.passes.rewriting.prices import Prices
from ttstack.passes.ttir.matmuls.merged_matmul import has_known_columns
from ttstack.passes.ttir.queries.aliases import VIEWS
from ttstack.passes.ttir.queries.producers import find_producer, is_shared

_LEAST_SHARE_SAVED = 0.05
"""The least share of the time of all this that is saved; what lies where around it has no price here."""
_ENLARGED = "ttir.upsample2d"


class DistributeMatmulOverConcat(Pass, name="distribute-matmul-over-concat"):
    """A product of channels side by side is the sum of a product of each, taken before images are enlarged.

    So a decoder of several resolutions multiplies the features of each at its own, and lays none side by side, where
    that is predicted faster; a module without a device stays as it is.
    """

    def run(self, module: ir.Module) -> None:
        """Look at products with matrices that are known."""
        if (prices := Prices.of(module)) is not None:
            pattern = partial(_apart, prices=prices)
            apply_patterns(module, [(f"ttir.{name}", pattern) for name in ("matmul", "linear")])


@dataclass(frozen=True)
class _Channels:
    """Channels of one image: what they are before it is enlarged, and the steps from there."""

    source: ir.Value
    steps: Sequence[ir.Operation]

    def after(self, value: ir.Value) -> ir.Value:
        """The same steps from a value that may have other channels."""
        for step in self.steps:
            with step.location:
                value = _alike(step, value)
        return value


@dataclass(frozen=True)
class _JoinedChannels:
    """A product of parts that lie side by side."""

    product: Matmul
    parts: Sequence[_Channels]

    @property
    def biased(self) -> int:
        """Which part's product adds the bias: one that is not enlarged, where all is added up in any case."""
        return next((i for i, part in enumerate(self.parts) if not part.steps), 0)

    def whole(self, values: Sequence[ir.Value]) -> ir.Value:
        """The product of all parts; after them, values are the matrix, and a bias where there is one."""
        count = len(self.parts)
        parts = [part.after(value) for part, value in zip(self.parts, values[:count], strict=True)]
        joined = ttir.concat(*parts, dim=read_type(parts[0].type).rank - 1)
        return ttir.build(self.product.mnemonic, joined, *values[count:], **self.product.attributes())

    def apart(self, values: Sequence[ir.Value]) -> ir.Value:
        """The sum of a product of each; after the parts, values are the matrix of each, and a bias where any is."""
        count, made = len(self.parts), list[ir.Value]()
        for i, part in enumerate(self.parts):
            bias = values[2 * count :] if i == self.biased else ()
            taken, kind = (values[i], values[count + i], *bias), {"transpose_b": self.product.transpose_b}
            made.append(part.after(ttir.linear(*taken, **kind) if bias else ttir.matmul(*taken, **kind)))
        return reduce(ttir.add, made)

    def matrices(self) -> Iterator[SliceStatic]:
        """What cuts the matrix of each part out of that of all."""
        whole, along, begin = self.product.b, int(self.product.transpose_b), 0
        for part in self.parts:
            begins, ends = [0, 0], [*whole.shape]
            begins[along], ends[along] = begin, begin + read_type(part.source.type).shape[-1]
            yield SliceStatic(input=whole, begins=tuple(begins), ends=tuple(ends), step=(1, 1))
            begin = ends[along]


def _apart(op: ir.Operation, prices: Prices) -> list[ir.Value] | None:
    product, joined = definition_of(op), find_producer(op.operands[0], "concat")
    assert isinstance(product, Matmul)
    if joined is None or is_shared(op.operands[0]) or product.transpose_a or not has_known_columns(op, product):
        return None
    concat, found = definition_of(joined), _JoinedChannels(product, [_part(value) for value in joined.operands])
    assert isinstance(concat, Concat)
    if concat.dim % product.a.rank != product.a.rank - 1 or not any(part.steps for part in found.parts):
        return None
    sources, cuts, bias = [part.source for part in found.parts], [*found.matrices()], list(op.operands)[2:]
    types, added = [read_type(source.type) for source in sources], [read_type(b.type) for b in bias]
    each = [cut.results[0] for cut in cuts]
    # In bf16, as most programs have their images: float32 fills L1, where the sums would lie.
    whole = prices.of_region([*types, product.b, *added], found.whole, dtype=DType.BF16)
    if prices.of_region([*types, *each, *added], found.apart, dtype=DType.BF16) > (1 - _LEAST_SHARE_SAVED) * whole:
        return None
    return [found.apart([*sources, *(slice_as(op.operands[1], cut) for cut in cuts), *bias])]


def _part(value: ir.Value) -> _Channels:
    """Reshapes and enlargements that leave channels apart, from the first enlargement."""
    source, steps = value, list[ir.Operation]()
    walked = list[ir.Operation]()
    while (op := pure_producer(value, _ENLARGED, *VIEWS)) is not None and not is_shared(value):
        (taken,) = op.operands
        if read_type(taken.type).shape[-1:] != read_type(value.type).shape[-1:]:
            break
        walked.insert(0, op)
        value = taken
        if op.name == _ENLARGED:
            source, steps = taken, [*walked]
    return _Channels(source, steps)


def _alike(step: ir.Operation, value: ir.Value) -> ir.Value:
    """The step of a value whose rows may have another extent."""
    op = definition_of(step)
    if isinstance(op, Upsample2d):
        return ttir.upsample2d(value, **op.attributes())
    return reshape_to(value, (*op.results[0].shape[:-1], read_type(value.type).shape[-1]))
