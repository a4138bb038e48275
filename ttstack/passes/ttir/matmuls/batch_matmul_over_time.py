"""Merging of matmuls of single time steps with the same weights into one matmul."""

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import accumulate, pairwise

from ttstack.dialects.base import definition_of
from ttstack.dialects.built_ops import insert_before
from ttstack.dialects.ttir.build import reshape_to, slice_along, slice_as
from ttstack.dialects.types import read_type
from ttstack.mlir import func, ir
from ttstack.ops.matmul import Matmul
from ttstack.passes.rewriting.candidates import GroupCandidate, Replacement
from ttstack.passes.rewriting.rewrite import rewrite
from ttstack.passes.stages import Stage
from ttstack.passes.ttir.matmuls.merged_matmul import earliest, has_known_columns, side_by_side
from ttstack.passes.ttir.movement.compose_slices import compose_slices
from ttstack.passes.ttir.movement.time_steps import TimeStep, steps_of
from ttstack.passes.ttir.queries.compile_time import MOST_FOLDED_BYTES
from ttstack.passes.ttir.queries.producers import MATMULS


@dataclass(frozen=True)
class _StepProduct:
    """The matmul of one time step."""

    op: ir.Operation
    matmul: Matmul
    step: TimeStep


Weighed = Sequence[_StepProduct]
"""Matmuls of all time steps with the same weights."""


@dataclass(frozen=True)
class _AllSteps:
    """One matmul of all time steps, with concatenated weights."""

    groups: Sequence[Weighed]

    @property
    def _widths(self) -> list[int]:
        return [group[0].matmul.mnk[1] for group in self.groups]

    @property
    def _columns(self) -> Iterator[tuple[_StepProduct, int, int]]:
        """Each matmul, and the start and end of its columns in the result."""
        for group, (left, right) in zip(self.groups, pairwise(accumulate(self._widths, initial=0)), strict=True):
            yield from ((product, left, right) for product in group)

    def build(self) -> Replacement:
        """Build it at the first of the matmuls, and the slice of each matmul in its place.

        The result is sliced by time step before columns, so that users can share slices.
        """
        products = [earliest([product.op for product in group]) for group in self.groups]
        with insert_before(earliest(products)):
            whole = side_by_side(self.groups[0][0].step.op.operands[0], products)
        t, parts = read_type(whole.type), dict[int, list[tuple[_StepProduct, int, int]]]()
        for product, left, right in self._columns:
            parts.setdefault(product.step.index, []).append((product, left, right))
        replacement = dict[ir.Value, ir.Value]()
        for of_step in parts.values():
            first = of_step[0][0]
            with insert_before(earliest([product.op for product, _, _ in of_step])):
                shape = (*read_type(first.op.results[0].type).shape[:-1], t.shape[-1])
                rows = reshape_to(slice_as(whole, first.step.part(t, 0, t.shape[-1])), shape)
            for product, left, right in of_step:
                with insert_before(product.op):
                    replacement[product.op.results[0]] = slice_along(rows, -1, left, right)
        return replacement


@rewrite("batch-matmul-over-time", if_faster=True, then=[compose_slices], stage=(Stage.MATMULS, Stage.TOKENS))
def batch_matmul_over_time(function: func.FuncOp) -> Iterator[Sequence[GroupCandidate]]:
    """`x[t] @ a` for each time step `t` = `(x @ a)[t]`; `x[t] @ b` of another gate is a slice of `x @ [a b]`.

    Recurrences then multiply their input once, for all time steps.
    """
    for groups in map(_groups, steps_of(function)):
        if groups:
            yield [partial(_build_each, [_AllSteps([group]) for group in groups]), *_together(groups)]


def _build_each(products: Sequence[_AllSteps]) -> Replacement:
    return {value: part for product in products for value, part in product.build().items()}


def _together(groups: Sequence[Weighed]) -> Iterator[GroupCandidate]:
    """Concatenate all weights if possible."""
    kinds = {(group[0].matmul.transpose_b, group[0].matmul.b.dtype) for group in groups}
    nbytes = sum(group[0].matmul.b.nbytes for group in groups)
    if len(groups) > 1 and len(kinds) == 1 and nbytes <= MOST_FOLDED_BYTES:
        yield _AllSteps(groups).build


def _groups(steps: Sequence[TimeStep]) -> list[Weighed]:
    """Return the matmuls for each matrix that all time steps are multiplied by; none if a step has other uses."""
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
