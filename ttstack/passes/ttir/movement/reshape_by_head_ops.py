"""Reshapes that split rows into heads or concatenate heads, as the library's ops on full tiles."""

import math
from collections.abc import Iterator
from functools import partial

from ttstack.device.sequences.users import COLUMNS, user_grid
from ttstack.dialects.ttir import views
from ttstack.dialects.ttir.build import permute_dims, reshape_to
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.types import read_type
from ttstack.mlir import ir
from ttstack.ops.types import TILE, TensorType
from ttstack.passes.rewriting.candidates import Candidate
from ttstack.passes.rewriting.rewrite import rewrite
from ttstack.passes.stages import Stage
from ttstack.passes.ttir.queries.compile_time import is_known

_HEADS_AND_ROWS = (0, 2, 1, 3)
"""Swaps heads and rows."""
_Heads = tuple[int, int, int, int]
"""Batch, rows, heads and width of a head."""


@rewrite("reshape-by-head-ops", if_faster=True, stage=Stage.PARALLEL)
def reshape_by_head_ops(op: views.Reshape | views.Squeeze | views.Unsqueeze) -> Iterator[Candidate]:
    """`reshape(x)` to or from heads = `permute(split_heads(x))` or `concatenate_heads(permute(x))`."""
    x = op.input
    operand, result = read_type(x.type), op.result_type
    if not operand.dtype.is_float or is_known(x):  # constants are reshaped at compile time
        return
    if (shape := _heads(operand, result)) is not None:
        yield partial(_split, x, shape, result.shape)
    if (shape := _heads(result, operand)) is not None:
        yield partial(_concatenate, x, shape, result.shape)


def _heads(rows: TensorType, heads: TensorType) -> _Heads | None:
    """Return [batch, rows, heads, width] in full tiles; None if the second type is not the first split into heads."""
    *lead, height, columns = (1, 1, *rows.shape)
    count, width = (1, 1, *heads.shape)[-2:]
    if count == 1 or width == 0 or width % TILE or count * width != columns:
        return None
    return math.prod(lead), height, count, width


def _split(rows: ir.Value, shape: _Heads, result: tuple[int, ...]) -> ir.Value:
    batch, height, count, width = shape
    heads = ttir.split_heads(reshape_to(rows, (batch, height, count * width)), num_heads=count)
    return reshape_to(permute_dims(heads, _HEADS_AND_ROWS), result)


def _concatenate(x: ir.Value, shape: _Heads, result: tuple[int, ...]) -> ir.Value:
    heads = reshape_to(x, shape)
    if has_decode_kernel(shape):
        return reshape_to(ttir.concatenate_heads_decode(heads), result)
    return reshape_to(ttir.concatenate_heads(permute_dims(heads, _HEADS_AND_ROWS)), result)


def has_decode_kernel(shape: _Heads) -> bool:
    """Return True if the users are the rows of a tile, and a rectangle of cores has a core for each of them."""
    batch, users, heads, _ = shape
    return batch == 1 and users == TILE and heads <= TILE and user_grid(heads).rows <= COLUMNS
