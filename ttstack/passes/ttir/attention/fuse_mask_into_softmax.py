"""Masks of one row for each sample that a softmax adds itself: the library's kernel adds them to rows that it holds."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from ttstack.dialects.base import definition_of
from ttstack.dialects.ttir.build import reshape_to
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.types import read_type
from ttstack.mlir import ir
from ttstack.ops.reduction import Softmax
from ttstack.ops.types import DType, TensorType
from ttstack.passes.base import Pass
from ttstack.passes.rewriting.pattern import apply_patterns
from ttstack.passes.rewriting.prices import Prices
from ttstack.passes.ttir.facts.broadcast_row import one_row, row_type
from ttstack.passes.ttir.queries.producers import find_producer, is_shared


class FuseMaskIntoSoftmax(Pass, name="fuse-mask-into-softmax"):
    """A softmax along rows adds a mask to them, where that is predicted to be faster than an addition of its own.

    The mask has one row for all rows of a sample, as one that hides keys that fill up shorter texts. Both are priced in
    bf16, as most programs have their activations; a module without a device stays as it is.
    """

    def run(self, module: ir.Module) -> None:
        """Look at each by itself; equal ones are priced once."""
        if (prices := Prices.of(module)) is not None:
            apply_patterns(module, [(f"ttir.{Softmax.mnemonic}", _MaskChooser(prices).fit)])


_Key = tuple[Softmax, TensorType, int]
"""A softmax, a mask as it is added, and the samples that have a row of it each."""


@dataclass(frozen=True)
class _MaskChooser:
    """What was found of softmaxes, and masks that are added before them."""

    prices: Prices
    pays: dict[_Key, bool] = field(default_factory=dict[_Key, bool])
    """Whether one kernel is faster."""

    def fit(self, op: ir.Operation) -> list[ir.Value] | None:
        """The softmax with its mask; None where it has one, adds none of such rows, or is faster after an addition."""
        softmax, added = definition_of(op), find_producer(op.operands[0], "add")
        assert isinstance(softmax, Softmax)
        last = softmax.dimension % softmax.input.rank == softmax.input.rank - 1
        if added is None or is_shared(added.results[0]) or softmax.mask is not None or not last:
            return None
        for x, mask in (added.operands, reversed(added.operands)):
            t = read_type(x.type)
            row = row_type(mask) if t == softmax.input and t.dtype.is_float else None
            samples = None if row is None else _samples(t, row)
            if samples is not None and self._pays(softmax, read_type(mask.type), samples):
                return [_masked(softmax, x, one_row(mask), samples)]
        return None

    def _pays(self, softmax: Softmax, mask: TensorType, samples: int) -> bool:
        if (key := (softmax, mask, samples)) not in self.pays:
            row = mask.with_shape((samples, 1, 1, mask.shape[-1]))
            self.pays[key] = self._predicted(softmax, row, samples) < self._predicted(softmax, mask, None)
        return self.pays[key]

    def _predicted(self, softmax: Softmax, mask: TensorType, samples: int | None) -> float:
        """Nanoseconds of a program that has no more, with a row of the mask for each sample, or an addition."""

        def build(given: Sequence[ir.Value]) -> ir.Value:
            x, added = given
            if samples is None:
                return ttir.softmax(ttir.add(x, added), **softmax.attributes())
            return _masked(softmax, x, added, samples)

        return self.prices.of_region([softmax.input, mask], build, dtype=DType.BF16)


def _samples(x: TensorType, mask: TensorType) -> int | None:
    """How many samples of an input have a row of the mask each; None where rows of one have several, or none at all."""
    if mask.dtype != x.dtype or not 0 < mask.rank <= x.rank or x.rank < len("rw") or not x.size:
        return None
    *outer, rows, width = (1,) * (x.rank - mask.rank) + mask.shape
    lead = max((d + 1 for d, extent in enumerate(outer) if extent != 1), default=0)
    fits = rows == 1 and width == x.shape[-1] and tuple(outer[:lead]) == x.shape[:lead]
    return math.prod(outer) if fits else None


def _masked(softmax: Softmax, x: ir.Value, mask: ir.Value, samples: int) -> ir.Value:
    """In four dimensions, as the kernel takes them: whole tiles stay where they are."""
    *outer, rows, width = softmax.input.shape
    four = reshape_to(x, (samples, math.prod(outer) // samples, rows, width))
    row = reshape_to(mask, (samples, 1, 1, width))
    made = ttir.softmax(four, row, dimension=3, numericStable=softmax.numericStable)
    return reshape_to(made, softmax.input.shape)
