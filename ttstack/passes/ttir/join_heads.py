"""Heads of one token a user side by side, as the library's op has them."""

import math
from functools import partial

from ttstack.device.sequences.users import COLUMNS, user_grid
from ttstack.dialects.base import describe
from ttstack.dialects.ttir.build import reshape_to
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.types import read_type
from ttstack.mlir import ir
from ttstack.ops.attention import ConcatenateHeadsDecode
from ttstack.ops.types import TILE
from ttstack.passes.base import Pass
from ttstack.passes.pattern import apply_patterns
from ttstack.passes.ttir.price import Prices
from ttstack.passes.ttir.views import VIEWS


class JoinHeads(Pass, name="join-heads"):
    """A reshape of [1, users, heads, width] to a row for each user is one op, where that is predicted to be faster."""

    def run(self, module: ir.Module) -> None:
        """Look at every reshape."""
        if (prices := Prices.of(module)) is not None:
            apply_patterns(module, [(name, partial(_join, prices=prices)) for name in VIEWS])


def _join(op: ir.Operation, prices: Prices) -> list[ir.Value] | None:
    given, result = read_type(op.operands[0].type), read_type(op.results[0].type)
    if given.rank != len("1uhw") or not given.dtype.is_float or not _has_kernel(given.shape):
        return None
    joined = ConcatenateHeadsDecode(input=given)
    rows = joined.results[0].shape
    if result.shape[-1:] != rows[-1:] or math.prod(result.shape[-2:]) != math.prod(rows):
        return None
    if prices.total([joined]) >= prices.total([describe(op)]):
        return None
    return [reshape_to(ttir.concatenate_heads_decode(op.operands[0]), result.shape)]


def _has_kernel(shape: tuple[int, ...]) -> bool:
    """Whether users are the rows of a tile, with heads of whole tiles on as many cores as a rectangle has."""
    lead, users, heads, width = shape
    if lead != 1 or users != TILE or not 1 < heads <= TILE or not width or width % TILE:
        return False
    return user_grid(heads).rows <= COLUMNS
