"""Splits of permutations that move the last dimension into a move of rows and a transpose."""

from collections.abc import Iterator, Sequence
from functools import partial

from ttstack.dialects.ttir import views
from ttstack.dialects.ttir.build import permute_dims
from ttstack.mlir import ir
from ttstack.passes.rewriting.candidates import Candidate
from ttstack.passes.rewriting.rewrite import rewrite
from ttstack.passes.stages import Stage
from ttstack.passes.ttir.queries.compile_time import is_known

Order = tuple[int, ...]


@rewrite(
    "split-permute",
    if_faster=True,
    placed=True,
    stage=Stage.KERNELS,
    after={"gather-rows-and-columns": "it merges permutations with other moves"},
)
def split_permute(op: views.Permute) -> Iterator[Candidate]:
    """`permute(x)` = `transpose(permute(x))` or `permute(transpose(x))`, if the remaining permutation moves whole rows.

    The kernel for arbitrary element order is slower than a move of rows and a transpose of tiles together; conversion
    of images from channels first to pixels is an example.
    """
    if not is_known(op.input):
        yield from (
            partial(_permute_twice, op.input, first, then) for first, then in rows_and_transpose(op.permutation)
        )


def _permute_twice(x: ir.Value, first: Order, then: Order) -> ir.Value:
    return permute_dims(permute_dims(x, first), then)


def rows_and_transpose(order: Sequence[int]) -> Iterator[tuple[Order, Order]]:
    """Yield pairs of permutations that compose to this one: one keeps the last dimension, the other swaps the last two.

    There are none if the last dimension stays, or a transpose is sufficient.
    """
    rank = len(order)
    if rank < 3 or order[-1] == rank - 1:
        return
    swap = (*range(rank - 2), rank - 1, rank - 2)
    if order[-2] == rank - 1 and (rows := (*order[:-2], order[-1], order[-2])) != tuple(range(rank)):
        yield rows, swap
    if order[-1] == rank - 2 and (rows := tuple(swap[d] for d in order)) != tuple(range(rank)):
        yield swap, rows
