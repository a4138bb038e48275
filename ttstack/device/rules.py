"""Rules of tt-metal's kernels for layouts and blocks: a card rejects an op that violates one.

The rules are those that `ttnn` 0.81.1 checks before a launch, with its own words in the faults.
"""

import math
from collections.abc import Iterator

from ttstack.device.circular_buffers.convolution import input_cores
from ttstack.device.circular_buffers.tiles import is_ragged
from ttstack.device.device_op import DeviceOp, Spread
from ttstack.device.group_norm import group_faults
from ttstack.device.halo import has_own_shards, lie_side_by_side
from ttstack.device.kernel_class import (
    attention_masks,
    divides_rows,
    is_attention,
    is_product,
    is_scan,
    over_banks,
    residual_of,
    transposes_first,
    transposes_tiles,
)
from ttstack.device.layout import Layout, MemoryLayout, MemorySpace, shares
from ttstack.device.matmul.rules import matmul_faults
from ttstack.ops.conv import Convolution
from ttstack.ops.decode import DecodeAttentionOp
from ttstack.ops.generic import ToLayout
from ttstack.ops.matmul import SparseMatmul
from ttstack.ops.normalization import GroupNorm
from ttstack.ops.types import TensorType, tiles
from ttstack.system_desc import ChipDesc

_MATRIX = 2
"""Minimum rank of a tensor with shards."""


def rule_faults(device_op: DeviceOp, chip: ChipDesc) -> Iterator[str]:
    """Yield the rules that an op violates."""
    yield from layout_faults(device_op)
    if isinstance(device_op.op, SparseMatmul):
        yield from _sparse_faults(device_op, device_op.op)
    if is_product(device_op.op):
        yield from matmul_faults(device_op, chip)


def layout_faults(device_op: DeviceOp) -> Iterator[str]:
    """Yield the rules that an op violates in any blocks."""
    if device_op.op.functions and any(layout.in_l1 for layout in device_op.layouts()):
        yield "a loop takes and gives values in DRAM"
    if any(layout.sharded and t.rank < _MATRIX for t, layout in _placed(device_op)):
        yield "a tensor of one dimension has no shards"
    if is_scan(device_op.op) and any(layout.sharded for layout in device_op.layouts()):
        yield "a scan takes and gives pages"
    elif transposes_tiles(device_op.op) is not None and not all(layout.fills(t) for t, layout in _placed(device_op)):
        yield "each core of a data movement op must have a shard"
    yield from _op_faults(device_op)
    if is_attention(device_op.dispatch):
        yield from _attention_faults(device_op)
    elif transposes_first(device_op.op) and (device_op.operands[0].sharded or over_banks(device_op.operands[1])):
        yield "a first operand that a product transposes is read by pages"
    elif is_product(device_op.op) and over_banks(device_op.operands[1]):
        yield from _streamed_faults(device_op)


def _op_faults(device_op: DeviceOp) -> Iterator[str]:
    """Yield the faults of kernels for single ops."""
    match device_op.op:
        case ToLayout() if _cuts_shards(device_op):
            yield "rows that do not fill their tiles come out of pages, or of one matrix in full shards"
        case Convolution():
            yield from _convolution_faults(device_op, device_op.op)
        case GroupNorm():
            yield from group_faults(device_op, device_op.op)
        case op if divides_rows(op):
            yield from _norm_faults(device_op)
        case _:
            pass


def _convolution_faults(device_op: DeviceOp, op: Convolution) -> Iterator[str]:
    source = device_op.operands[0]
    if has_own_shards(device_op):
        cores, columns = input_cores(device_op), tiles(op.channels)
        if device_op.spread is Spread.COLUMNS and cores is not None and columns % cores.cores:
            yield f"{cores.cores} cores do not divide the {columns} tiles of channels that weights are prepared for"
    elif source.in_l1 and lie_side_by_side(op.sliding) and not op.sliding.is_pointwise:
        yield "windows that do not overlap are folded from an image in DRAM"
    elif source.memory_layout is MemoryLayout.WIDTH_SHARDED and not source.fills(op.operands[0]):
        yield "each core of a convolution of single pixels has a shard"


def _cuts_shards(device_op: DeviceOp) -> bool:
    """Return True if an untilize removes padding in shards of several matrices or in shards that are not full."""
    t, source, target = device_op.op.operands[0], device_op.operands[0], device_op.results[0]
    if not source.sharded or not source.tiled or target.tiled or not is_ragged(t.shape):
        return False
    return math.prod(t.shape[:-_MATRIX]) > 1 or not source.fills(t)


def _placed(device_op: DeviceOp) -> Iterator[tuple[TensorType, Layout]]:
    """Yield types and layouts of operands, then of results."""
    return zip(device_op.types(), device_op.layouts(), strict=True)


def _streamed_faults(device_op: DeviceOp) -> Iterator[str]:
    """Yield faults of a matmul whose weights are sharded over DRAM banks."""
    source, t = device_op.operands[0], device_op.op.operands[0]
    columns = source.matrix(t)[1]
    if source.sharded and source.grid is not None and source.shard(t)[1] * source.grid.cores != columns:
        yield f"{source.grid.cores} cores do not divide the {columns} tiles of rows that meet weights over banks"


def _sparse_faults(device_op: DeviceOp, op: SparseMatmul) -> Iterator[str]:
    """Yield faults of a sparse matmul, whose columns are distributed over cores row by row."""
    grid = device_op.grid
    busy = shares(tiles(op.b.shape[-1]), grid.cores)
    if busy > grid.cols and busy % grid.cols:
        yield f"{busy} cores that have columns of a sparse product fill no rows of {grid.cols}"


def _norm_faults(device_op: DeviceOp) -> Iterator[str]:
    (source, *_), result = device_op.operands, device_op.results[0]
    if not source.sharded:
        if device_op.row_cores > 1:
            yield "cores share rows of a norm only where they hold them as shards"
    elif source.memory_layout is MemoryLayout.HEIGHT_SHARDED:
        yield "a norm takes no height shards"
    elif (result.memory_layout, result.grid) != (source.memory_layout, source.grid):
        yield "a norm of shards gives such shards"
    elif not source.fills(device_op.op.operands[0]):
        yield "each core of a norm has a shard"
    residual = residual_of(device_op.op)
    added = source if residual is None else device_op.operands[residual]
    if (added.memory_layout, added.grid) != (source.memory_layout, source.grid):
        yield "the residual of a norm must have the layout of its input"


def _attention_faults(device_op: DeviceOp) -> Iterator[str]:
    if isinstance(device_op.op, DecodeAttentionOp):
        query, *cached = device_op.operands[: len(("query", "key", "value"))]
        if query.in_l1 and not query.sharded:
            yield "the query of decode attention must be in DRAM or sharded"
        if any(layout.in_l1 and layout.tiled for layout in cached):
            yield "keys and values of decode attention must be in DRAM"
    for position in attention_masks(device_op.op):
        mask = device_op.operands[position]
        if mask.memory_space is not MemorySpace.DRAM:
            yield "a mask of attention must be in DRAM"
