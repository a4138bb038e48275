"""Reshapes that cut rows into heads or put heads side by side, by the library's ops that move whole tiles."""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from ttstack.device.sequences.users import COLUMNS, user_grid
from ttstack.dialects.base import definition_of
from ttstack.dialects.ttir.build import permute_dims, reshape_to
from ttstack.dialects.ttir.builders import ttir
from ttstack.mlir import ir
from ttstack.ops.attention import ConcatenateHeads, ConcatenateHeadsDecode, SplitHeads
from ttstack.ops.base import Op
from ttstack.ops.shape import Permute
from ttstack.ops.types import TILE, TensorType
from ttstack.passes.base import Pass
from ttstack.passes.rewriting.pattern import apply_patterns
from ttstack.passes.rewriting.prices import Prices
from ttstack.passes.ttir.queries.aliases import VIEWS
from ttstack.passes.ttir.queries.compile_time import is_known

_CROSSED = (0, 2, 1, 3)
"""Heads before rows, or rows before heads."""


class ReshapeByHeadOps(Pass, name="reshape-by-head-ops"):
    """[rows, heads * width] to [rows, heads, width], or back, by ops of heads where they are predicted to be faster."""

    def run(self, module: ir.Module) -> None:
        """Look at every reshape."""
        if (prices := Prices.of(module)) is not None:
            reshape_heads(module, prices)


def reshape_heads(module: ir.Module, prices: Prices) -> None:
    """What the pass does, by these prices."""
    apply_patterns(module, [(name, partial(_move, prices=prices)) for name in VIEWS])


@dataclass(frozen=True)
class _Way:
    """Ops that do what a reshape does, and what builds them."""

    ops: Sequence[Op]
    build: Callable[[ir.Value], ir.Value]


def _move(op: ir.Operation, prices: Prices) -> list[ir.Value] | None:
    reshape = definition_of(op)
    given, result = reshape.operands[0], reshape.results[0]
    if not given.dtype.is_float or is_known(op.operands[0]):  # what is known is reshaped before the program runs
        return None
    ways = list(_ways(given, result))
    times = [prices.sum_of(way.ops) for way in ways]
    if not times or min(times) >= prices.sum_of([reshape]):
        return None
    return [reshape_to(ways[times.index(min(times))].build(op.operands[0]), result.shape)]


def _ways(given: TensorType, result: TensorType) -> Iterator[_Way]:
    if (shape := _heads(given, result)) is not None:
        batch, rows, count, width = shape
        split = SplitHeads(input=given.with_shape((batch, rows, count * width)), num_heads=count)
        yield _Way([split, _crossed(split.results[0])], partial(_split, split=split))
    if (shape := _heads(result, given)) is not None:
        heads = given.with_shape(shape)
        if _has_kernel(shape):
            yield _Way([ConcatenateHeadsDecode(input=heads)], partial(_join_users, shape=shape))
        else:
            crossed = _crossed(heads)
            yield _Way([crossed, ConcatenateHeads(input=crossed.results[0])], partial(_join, shape=shape))


def _heads(rows: TensorType, heads: TensorType) -> tuple[int, int, int, int] | None:
    """[batch, rows, heads, width], of whole tiles; None where the second is not the first with rows cut into heads."""
    *lead, height, columns = (1, 1, *rows.shape)
    count, width = (1, 1, *heads.shape)[-2:]
    if count == 1 or width == 0 or width % TILE or count * width != columns:
        return None
    return math.prod(lead), height, count, width


def _crossed(t: TensorType) -> Permute:
    return Permute(input=t, permutation=_CROSSED)


def _split(value: ir.Value, split: SplitHeads) -> ir.Value:
    rows = reshape_to(value, split.input.shape)
    return permute_dims(ttir.split_heads(rows, num_heads=split.num_heads), _CROSSED)


def _join(value: ir.Value, shape: tuple[int, ...]) -> ir.Value:
    return ttir.concatenate_heads(permute_dims(reshape_to(value, shape), _CROSSED))


def _join_users(value: ir.Value, shape: tuple[int, ...]) -> ir.Value:
    return ttir.concatenate_heads_decode(reshape_to(value, shape))


def _has_kernel(shape: tuple[int, int, int, int]) -> bool:
    """Whether users are the rows of a tile, with heads on as many cores as a rectangle has."""
    batch, users, heads, _ = shape
    return batch == 1 and users == TILE and heads <= TILE and user_grid(heads).rows <= COLUMNS
