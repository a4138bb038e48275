"""Products of single steps of a sequence with the same weights, as one product of all steps."""

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

from ttstack.dialects.base import definition_of
from ttstack.dialects.ttir.build import reshape_to, slice_as
from ttstack.dialects.types import read_type
from ttstack.mlir import ir
from ttstack.ops.base import Op
from ttstack.ops.indexing import SliceStatic
from ttstack.ops.matmul import Matmul
from ttstack.passes.base import Pass
from ttstack.passes.functions import functions
from ttstack.passes.rewriting.prices import Prices
from ttstack.passes.ttir.matmuls.merged_matmul import (
    columns_of,
    earliest,
    has_bias,
    has_known_columns,
    side_by_side,
    widen,
)
from ttstack.passes.ttir.movement.time_steps import TimeStep, steps_of
from ttstack.passes.ttir.queries.compile_time import MOST_FOLDED_BYTES
from ttstack.passes.ttir.queries.producers import MATMULS


@dataclass(frozen=True)
class _StepProduct:
    """A product of one step."""

    op: ir.Operation
    matmul: Matmul
    step: TimeStep


Weighed = Sequence[_StepProduct]
"""Products of all steps with the same weights."""


@dataclass(frozen=True)
class _AllSteps:
    """One product of all steps, with weights side by side that each step is multiplied by."""

    groups: Sequence[Weighed]

    @property
    def product(self) -> Matmul:
        """Return the matmul of all steps with all weights."""
        first = self.groups[0][0]
        biased = any(has_bias(group[0].op) for group in self.groups)
        return widen(first.matmul, first.step.cut.input, sum(self._widths), biased=biased)

    @property
    def _widths(self) -> list[int]:
        return [group[0].matmul.mnk[1] for group in self.groups]

    @property
    def _columns(self) -> Iterator[tuple[_StepProduct, int, int]]:
        """Each product, and where its columns begin and end in the result."""
        for group, (left, right) in zip(self.groups, pairwise(accumulate(self._widths, initial=0)), strict=True):
            yield from ((product, left, right) for product in group)

    @property
    def parts(self) -> Iterator[SliceStatic]:
        """Yield the slice of the result that replaces each product."""
        whole = self.product.results[0]
        return (product.step.part(whole, left, right) for product, left, right in self._columns)

    def replace(self) -> None:
        """Build it where the first of the products stands, and let its parts be read instead of them.

        Each step is cut out of it before the columns of a product, so that what reads columns can be one.
        """
        products = [earliest([product.op for product in group]) for group in self.groups]
        first = earliest(products)
        with ir.InsertionPoint(first), first.location:
            whole = side_by_side(self.groups[0][0].step.op.operands[0], products)
        t = read_type(whole.type)
        for product, left, right in self._columns:
            with ir.InsertionPoint(product.op), product.op.location:
                shape = (*read_type(product.op.results[0].type).shape[:-1], t.shape[-1])
                rows = reshape_to(slice_as(whole, product.step.part(t, 0, t.shape[-1])), shape)
                part = slice_as(rows, columns_of(read_type(rows.type), left, right))
            product.op.results[0].replace_all_uses_with(part)
            product.op.erase()


class BatchMatmulOverTime(Pass, name="batch-matmul-over-time", optional=True):
    """What recurrences multiply each step of their input by is multiplied once, for all steps, where that is faster.

    Steps are then taken of the result. Gates of one cell have their weights side by side, where that is faster still.
    A module without a device stays as it is.
    """

    def run(self, module: ir.Module) -> None:
        """Look at steps of every function."""
        if (prices := Prices.of(module)) is None:
            return
        for function in functions(module):
            for steps in steps_of(function):
                groups = _groups(steps)
                candidates = [[_AllSteps([group]) for group in groups], *self._together(groups)] if groups else []
                times = [prices.sum_of(_replacement_ops(candidate)) for candidate in candidates]
                if times and min(times) < prices.sum_of(_current_ops(steps, groups)):
                    _multiply_once(steps, candidates[times.index(min(times))])

    def _together(self, groups: Sequence[Weighed]) -> Iterator[list[_AllSteps]]:
        """All weights side by side, where they can be."""
        kinds = {(group[0].matmul.transpose_b, group[0].matmul.b.dtype) for group in groups}
        nbytes = sum(group[0].matmul.b.nbytes for group in groups)
        if len(groups) > 1 and len(kinds) == 1 and nbytes <= MOST_FOLDED_BYTES:
            yield [_AllSteps(groups)]


def _groups(steps: Sequence[TimeStep]) -> list[Weighed]:
    """For each matrix that all steps are multiplied by, the products; none where something else reads a step too."""
    groups: dict[Hashable, list[_StepProduct]] = {}
    for step in steps:
        for view in step.views:
            for use in view.results[0].uses:
                if (product := _product(use, step)) is None:
                    return []
                kind = (tuple(list(product.op.operands)[1:]), product.matmul)
                groups.setdefault(kind, []).append(product)
    step_indices = sorted(step.index for step in steps)
    once = len(set(step_indices)) == len(step_indices)
    each = ([member.step.index for member in group] for group in groups.values())
    return list(groups.values()) if once and all(sorted(indices) == step_indices for indices in each) else []


def _product(use: ir.OpOperand, step: TimeStep) -> _StepProduct | None:
    op, source = use.owner.operation, step.cut.input
    matmul = definition_of(op) if op.name in MATMULS and use.operand_number == 0 else None
    if not isinstance(matmul, Matmul) or not has_known_columns(op, matmul) or matmul.transpose_a:
        return None
    rows = step.axis < source.rank - 1 and matmul.a.shape[-1] == source.shape[-1]
    return _StepProduct(op, matmul, step) if rows else None


def _current_ops(steps: Sequence[TimeStep], groups: Sequence[Weighed]) -> list[Op]:
    return [*(step.cut for step in steps), *(product.matmul for group in groups for product in group)]


def _replacement_ops(candidate: Sequence[_AllSteps]) -> Iterator[Op]:
    for whole in candidate:
        yield whole.product
        yield from whole.parts


def _multiply_once(steps: Sequence[TimeStep], candidate: Sequence[_AllSteps]) -> None:
    for whole in candidate:
        whole.replace()
    for step in steps:
        for op in (*step.views, step.op):
            op.erase()
