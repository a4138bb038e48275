"""Lookups of rows of a table."""

from collections.abc import Sequence
from typing import Any

from ttstack.ops.types import TILE, DType
from ttstack.ttnn_python.calls.table import Statement, calls
from ttstack.ttnn_python.expression import Call, Expression, Name, call
from ttstack.ttnn_python.placed_op import PlacedOp
from ttstack.ttnn_python.spelling import NoCallError, data_type, layout

TILES = Name("ttnn.TILE_LAYOUT")


@calls("embedding")
def embedding(o: PlacedOp) -> Expression:
    """Rows by indices of two dimensions."""
    shape = o.op.input.shape if o.op.shape is None else o.op.shape
    matrix = shape if len(shape) == 2 else (1, o.op.input.size)
    found = o.cast(_rows(o, matrix, layout=layout(o.result[1]), memory_config=o.memory), DType.BF16)
    result = o.op.results[0].shape
    return found if len(shape) == 2 else call("reshape", found, list(result))


def _rows(o: PlacedOp, shape: Sequence[int], **keywords: Any) -> Call:
    """Rows by indices without sign under a shape of two dimensions, of a table of bf16."""
    table = o.at("weight")[1].dtype
    if table is not DType.BF16:
        raise NoCallError(f"a table of {table}: compile with weights in bf16")
    ids = o.operand("input")
    if o.at("input")[1].dtype is not DType.UI32:
        ids = call("typecast", ids, data_type(DType.UI32))
    if tuple(o.op.input.shape) != tuple(shape):
        ids = call("reshape", ids, list(shape))
    return call("embedding", ids, o.operand("weight"), dtype=data_type(DType.BF16), **keywords)


@calls("embedding_bag")
def embedding_bag(o: PlacedOp) -> Expression | list[Statement]:
    """Rows of a bag looked up and pooled; where offsets say the bags, sums are a product with ones where a bag is."""
    if o.op.padding_idx != -1:
        raise NoCallError("bags in which an index does not count have no call")
    return _equal_bags(o) if o.op.offsets is None else _bags_by_offset(o)


def _equal_bags(o: PlacedOp) -> Expression:
    bags, length = o.op.input.shape
    rows = _weighted(o, _rows(o, (bags, length), layout=TILES), [bags, length, 1])
    pooled = call(o.op.mode, rows, dim=1, keepdim=False, memory_config=o.memory)
    return o.cast(pooled, DType.BF16)


def _bags_by_offset(o: PlacedOp) -> list[Statement]:
    """Bag `i` has the positions that bag `i` and not bag `i + 1` has begun at."""
    if o.op.mode == "max":
        raise NoCallError("the greatest of bags that offsets say has no call")
    count, (bags, width) = o.op.input.size, o.op.results[0].shape
    begun, ones = f"{o.targets[0]}_begun", f"{o.targets[0]}_ones"
    real = data_type(DType.F32)
    row = call("arange", 0, count, 1, dtype=real, device=Name("device"), layout=TILES)
    offsets = call("typecast", call("to_layout", o.operand("offsets"), TILES), real)
    column = call("reshape", offsets, [o.op.offsets.size, 1])
    after = call("slice", Name(begun), [1, 0], [o.op.offsets.size, count], [1, 1])
    before = Name(begun)
    if o.op.include_last_offset:
        before = call("slice", before, [0, 0], [bags, count], [1, 1])
    else:
        after = call("pad", after, [(0, 1), (0, 0)], 0.0)
    rows = call("reshape", _rows(o, (1, count), layout=TILES), [count, width])
    sums = call("matmul", Name(ones), _weighted(o, rows, [count, 1]), dtype=o.dtype, memory_config=o.memory)
    if o.op.mode == "mean":
        held = call("clamp", call("sum", Name(ones), dim=1, keepdim=True), min=1.0)
        sums = call("divide", sums, held, dtype=o.dtype, memory_config=o.memory)
    return [
        ((begun,), call("ge", call("reshape", row, [1, count]), column, dtype=data_type(DType.BF16))),
        ((ones,), call("subtract", before, after)),
        (o.targets, sums),
        *(((), call("deallocate", Name(name))) for name in (begun, ones)),
    ]


def _weighted(o: PlacedOp, rows: Expression, shape: Sequence[int]) -> Expression:
    weights = o.operand("per_sample_weights")
    return rows if weights is None else call("multiply", rows, call("reshape", weights, list(shape)))


@calls("embedding_backward")
def embedding_backward(o: PlacedOp) -> Expression:
    """Gradients added up by row of the table; not in 32 bits."""
    width, rows = o.op.weight.shape[-1], o.op.input.size
    if rows % TILE:
        raise NoCallError(f"gradients of {rows} rows, which are no multiple of {TILE}")
    ids = call("reshape", o.operand("input"), [1, rows])
    if o.at("input")[1].dtype is not DType.UI32:
        ids = call("typecast", ids, data_type(DType.UI32))
    gradient, held = o.operand("in_gradient"), o.at("in_gradient")[1].dtype
    if held is DType.F32:
        gradient, held = call("typecast", gradient, data_type(DType.BF16)), DType.BF16
    flat = call("reshape", gradient, [1, 1, rows, width])
    found = call("embedding_bw", ids, o.operand("weight"), flat, dtype=data_type(held), memory_config=o.memory)
    return o.cast(call("reshape", found, list(o.op.results[0].shape)), held)
