"""Classification of loop nests by kind, and of operands that a core already has."""

import math
from collections.abc import Collection
from functools import lru_cache

from ttstack.device.device_op import DeviceOp, Spread
from ttstack.device.layout import Layout, MemoryLayout, MemorySpace, same_matrix
from ttstack.device.program_config import RowwiseConfig, Sums
from ttstack.ops.attention import scores_of
from ttstack.ops.base import OPS, Op
from ttstack.ops.eltwise import Eltwise
from ttstack.ops.generic import Generic
from ttstack.ops.kernels import added_operand, mask_operand
from ttstack.ops.loop_nest import LoopNest, TileOp
from ttstack.ops.loops import Access, IndexingMap, Loops
from ttstack.ops.mask_structure import MaskStructure
from ttstack.ops.reduction import Reduction
from ttstack.ops.tile_order import tile_order, transposes_each
from ttstack.ops.types import DType, ElementType, TensorType, tile_shape

_BINARY = 2
"""Number of operands of a binary function with fused unary functions."""


def is_free(device_op: DeviceOp) -> bool:
    """Return True if the op launches nothing: it writes no element, its result is a view, or functions do its work."""
    op = device_op.op
    if op.functions:
        return True
    if not op.mutates and not any(t.size for t in op.results):
        return True
    if not op.keeps_order and not can_be_view(op):
        return False
    source = device_op.operands[0]
    return source == device_op.results[0] and (can_be_view(op) or (not source.tiled and keeps_width(op)))


def keeps_width(op: Op) -> bool:
    """Return True if the op keeps rows and the order of elements."""
    return op.keeps_order and op.operands[0].shape[-1:] == op.results[0].shape[-1:]


@lru_cache(4096)
def can_be_view(op: Op) -> bool:
    """Return True if the operand's buffer can hold the result too: that depends on layouts alone."""
    return is_view(op) or casts_reals(op)


def is_view(op: Op) -> bool:
    """Return True if the operand's buffer holds the result too: the same elements in the same tiles."""
    return op.keeps_order and same_matrix(op.operands[0], op.results[0])


def casts_reals(op: Op) -> bool:
    """Return True if the operand's buffer holds the result too when the device has both types in one format.

    Bools count as reals, 0 or 1 as every op leaves them; a cast to bool is a comparison with 0.
    """
    nest = op.nest
    if nest is None or [tile_op.name for tile_op in nest.body] != ["typecast"]:
        return False
    (read, written), (source, left) = nest.maps, (op.operands[0], op.results[0])
    in_place = all(a in (None, b) for a, b in zip(read.loops, written.loops, strict=True)) and not read.terms
    return lies_as_reals(source.dtype) and left.dtype.is_float and source.shape == left.shape and in_place


def lies_as_reals(dtype: ElementType) -> bool:
    """Return True if the device holds the type's values as real numbers."""
    return dtype.is_float or dtype is DType.I1


def is_contraction(dispatch: Loops) -> bool:
    """Return True if the innermost work is a matmul with a reduction loop."""
    return bool(dispatch.reductions) and dispatch.multiplies


def is_chain(dispatch: Loops) -> bool:
    """Return True if each iteration does separate matmuls, one after the other."""
    return not dispatch.reductions and dispatch.multiplies


def is_attention(dispatch: Loops) -> bool:
    """Return True if matmuls and reductions alternate inside one loop: scores never leave the core."""
    return is_contraction(dispatch) and dispatch.reduces_tiles


def is_matmul(dispatch: Loops) -> bool:
    """Return True if the op is one matmul with an epilogue, in its own blocks."""
    return is_contraction(dispatch) and not is_attention(dispatch)


def is_batched(dispatch: Loops) -> bool:
    """Return True if a matmul's second operand has a batch."""
    return any(loop is not None for loop in dispatch.inputs[1].loops[:-2])


@lru_cache(1024)
def keeps_rows(op: Op) -> bool:
    """Return True if a core computes full rows of the result: the kernel of batched matmuls."""
    return is_product(op) and is_batched(op.loops)


@lru_cache(1024)
def is_product(op: Op) -> bool:
    """Return True if the op is only a matmul, with configured blocks."""
    return op.nest is not None and is_matmul(op.loops)


def over_banks(weights: Layout) -> bool:
    """Return True if each bank of DRAM has a part of the weights, which the core next to it streams."""
    return weights.sharded and weights.memory_space is MemorySpace.DRAM


def transposes_first(op: Op) -> bool:
    """Return True if a matmul's first operand is transposed: a core transposes its tiles into a separate buffer.

    Tiles of the second operand are transposed when they are unpacked.
    """
    return is_product(op) and op.loops.inputs[0].loops[-2] in op.loops.reductions


def attention_operands(device_op: DeviceOp) -> tuple[int, int, int]:
    """Return the positions of query, keys and values among the operands of attention; keys can also be the values."""
    passing = [i for i, indexing in enumerate(device_op.dispatch.inputs) if indexing.access is Access.MULTICAST]
    return 0, passing[0], passing[-1]


def visible_scores(op: Op) -> MaskStructure | None:
    """Return the visible scores of attention over full sequences, if known; None if all may be visible."""
    attended = scores_of(op)
    return None if attended is None else attended.visible(op.operands[0].shape[2], op.operands[1].shape[2])


def attention_masks(op: Op) -> frozenset[int]:
    """Return the positions of attention operands that are added to its scores, or select them."""
    if "attention_mask" in op.operand_specs():
        return op.operand_positions("attention_mask")
    attended = scores_of(op)
    return frozenset() if attended is None or attended.mask is None else frozenset({attended.mask})


def is_rowwise(dispatch: Loops) -> bool:
    """Return True if rows stay in a core for several passes: softmax, norms, scans."""
    return dispatch.keeps_rows and not is_contraction(dispatch)


def is_paged(device_op: DeviceOp) -> bool:
    """Return True if cores repeatedly read a page of each operand and write one of the result."""
    dispatch = device_op.dispatch
    products = is_contraction(dispatch) or is_chain(dispatch)
    return (
        not products and not is_rowwise(dispatch) and all(indexing.access is Access.LOCAL for indexing in dispatch.maps)
    )


def is_paged_reduction(device_op: DeviceOp) -> bool:
    """Return True if the op is a page kernel with a reduction: its reader also copies tiles of a shard, one by one."""
    return bool(device_op.dispatch.reductions) and is_paged(device_op)


def wide_sums(device_op: DeviceOp) -> bool:
    """Return True if Dst holds 32-bit numbers, by the result or the configuration of a row kernel."""
    if isinstance(device_op.config, RowwiseConfig) and device_op.config.sums:
        return device_op.config.sums is Sums.F32
    return bool(device_op.results) and device_op.results[0].dtype in {DType.F32, DType.SI32, DType.UI32}


def sum_dtype(device_op: DeviceOp) -> DType:
    """Return the format in which a kernel stores partial sums (`packer_l1_acc`)."""
    return DType.F32 if wide_sums(device_op) else DType.BF16


def divides_rows(op: Op) -> bool:
    """Return True if a norm's kernel runs the op, whose cores that share a row exchange partial sums."""
    return _runs_over_rows(op, "rsqrt")


def is_centred(op: Op) -> bool:
    """Return True if a norm subtracts the mean first, which is a separate sum."""
    nest = op.nest
    return divides_rows(op) and nest is not None and sum(tile_op.name == "reduce_mean" for tile_op in nest.body) > 1


@lru_cache(1024)
def residual_of(op: Op) -> int | None:
    """Return the position of the operand that a norm's kernel adds to the first; None if there is none."""
    return None if op.nest is None else added_operand(op.nest)


def is_softmax(op: Op) -> bool:
    """Return True if the op divides exponentials of a row's elements by their sum."""
    return _runs_over_rows(op, "exp_approx")


@lru_cache(1024)
def softmax_mask(op: Op) -> int | None:
    """Return the position of the operand that a softmax's kernel adds to all rows of a sample, or None."""
    return None if op.nest is None else mask_operand(op.nest)


def is_stable(op: Op) -> bool:
    """Return True if a softmax subtracts the maximum first."""
    return op.nest is not None and any(tile_op.name == "reduce_max" for tile_op in op.nest.body)


def is_scan(op: Op) -> bool:
    """Return True if the op is a cumulative sum or product along a dimension."""
    return op.nest is not None and any(tile_op.name.startswith("scan_") for tile_op in op.nest.body)


def _runs_over_rows(op: Op, tile_op: str) -> bool:
    nest = op.nest
    return nest is not None and is_rowwise(nest) and any(work.name == tile_op for work in nest.body)


def transposes_tiles(op: Op) -> bool | None:
    """Return True if permuted tiles are also transposed; None for any other op."""
    nest = op.nest
    return None if nest is None or tile_order(nest) is None else transposes_each(nest)


def elementwise_function(nest: LoopNest) -> TileOp | None:
    """Return the elementwise function of a nest: its only tile op, or a binary one with activations; otherwise None."""
    if not all(issubclass(OPS.get(tile_op.name, Op), Eltwise) for tile_op in nest.body):
        return None
    if len(nest.body) == 1:
        return nest.body[0]
    both = [i for i, tile_op in enumerate(nest.body) if len(tile_op.args) == _BINARY]
    alone = len(nest.inputs) == _BINARY and len(both) == 1
    return nest.body[both[0]] if alone and both[0] <= _BINARY and len(nest.body) - both[0] <= _BINARY else None


def is_eltwise(op: Op) -> bool:
    """Return True if the op is one elementwise function of tiles, with optional activations."""
    return op.nest is not None and elementwise_function(op.nest) is not None


def reduced_along(op: Op) -> tuple[str, TensorType, Collection[int]] | None:
    """Return the tile op of a reduction, its operand and its dimensions; None for any other op."""
    if isinstance(op, Reduction):
        return op.tile_op, op.input, op.dims
    if not isinstance(op, Generic) or len(op.operands) != 1 or len(op.program.body) != 1:
        return None
    return op.program.body[0].name, op.operands[0], op.program.reductions


def row_passes(dispatch: Loops) -> int:
    """Return how often a row that does not fit is read: once per reduction over it, and once to finish."""
    return 1 + sum(math.ceil(op.count) for op in dispatch.work if op.name.startswith("reduce_"))


def inner_pages(indexing: IndexingMap, t: TensorType) -> int:
    """Return the pages that one iteration accesses: the tiles along dimensions without a loop."""
    if None not in indexing.loops or len(indexing.loops) != t.rank:
        return 1
    return math.prod(e for e, loop in zip(tile_shape(t.shape), indexing.loops, strict=True) if loop is None)


def is_at_hand(device_op: DeviceOp, layout: Layout) -> bool:
    """Return True if slices of a tensor train are in L1 of the cores that use them: all, or their owners."""
    if not layout.in_l1 or layout.grid is None:
        return False
    everywhere = layout.memory_layout is MemoryLayout.REPLICATED
    return device_op.grid.fits(layout.grid) if everywhere else layout.grid.fits(device_op.grid)


def is_local(device_op: DeviceOp, indexing: IndexingMap, t: TensorType, layout: Layout) -> bool:
    """Return True if every core has its part of the tensor in its own L1."""
    if indexing.access is Access.INDIRECT:
        return is_at_hand(device_op, layout)
    if not (layout.in_l1 and layout.sharded) or layout.grid != device_op.grid:
        return False
    if indexing.access is Access.GATHER:
        return True
    if device_op.spread not in _owner_spreads(layout.memory_layout):
        return False
    return math.prod(layout.shard(t)) == device_op.core_pages(indexing) * inner_pages(indexing, t)


def _owner_spreads(kind: MemoryLayout) -> tuple[Spread, ...]:
    """Return the spreads in which the core of a shard processes it."""
    match kind:
        case MemoryLayout.HEIGHT_SHARDED:
            return Spread.ROWS, Spread.FLAT
        case MemoryLayout.WIDTH_SHARDED:
            return Spread.COLUMNS, Spread.FLAT
        case MemoryLayout.BLOCK_SHARDED:
            return (Spread.BLOCKS,)
        case MemoryLayout.INTERLEAVED | MemoryLayout.REPLICATED:
            return ()
