"""Bytes of circular buffers that an op needs on each of its cores."""

import math

from ttstack.device.call_name import call_kind
from ttstack.device.circular_buffers.attention import attention_bytes, decode_attention_bytes
from ttstack.device.circular_buffers.convolution import ConvolutionBuffers
from ttstack.device.circular_buffers.eltwise import eltwise_bytes
from ttstack.device.circular_buffers.matmul import DOUBLE, buffers_of
from ttstack.device.circular_buffers.movement import movement_bytes
from ttstack.device.circular_buffers.named import named_bytes, pool_bytes
from ttstack.device.circular_buffers.rowwise import across_bytes, norm_bytes, softmax_bytes
from ttstack.device.device_op import DeviceOp
from ttstack.device.halo import Halo, has_own_shards
from ttstack.device.kernel_class import (
    attention_operands,
    divides_rows,
    is_attention,
    is_contraction,
    is_eltwise,
    is_free,
    is_local,
    is_rowwise,
    is_softmax,
    is_stable,
)
from ttstack.device.layout import Grid, Layout
from ttstack.device.matmul_blocks import MatmulBlocks
from ttstack.device.program_config import AttentionConfig, RowwiseConfig
from ttstack.device.reduction_kernels import TallReduction, transposed_bytes
from ttstack.device.sequences import CallSequence, Step, call_sequence
from ttstack.ops.attention import scores_of
from ttstack.ops.block_sparse import BlockSparseAttention
from ttstack.ops.decode import DecodeAttentionOp
from ttstack.ops.generic import chain_of
from ttstack.ops.loops import Access, IndexingMap
from ttstack.ops.tensor_train_chain import Chain
from ttstack.ops.tensor_train_stages import HELD_ELEMENTS
from ttstack.ops.types import TILE, DType, TensorType, tiles
from ttstack.system_desc import ChipDesc

_OF_ROWS = ("typecast", "add")
"""Elementwise kernels that also support rows, in pieces of a tile's size."""


def footprint(device_op: DeviceOp, chip: ChipDesc) -> int:
    """Return the L1 bytes on each core, without the tensors; for several calls, with their intermediates.

    Functions that an op runs may use all of L1.
    """
    if device_op.op.functions:
        return chip.l1_usable_bytes
    sequence = call_sequence(device_op, chip)
    if sequence is None:
        return _of_one(device_op, chip)
    return _between(sequence, chip) + max((_of_step(step, chip) for step in sequence.steps), default=0)


def _between(sequence: CallSequence, chip: ChipDesc) -> int:
    """Return the L1 bytes of intermediates between calls, without views and the op's own results."""
    own, nbytes = set(sequence.results), 0
    for step in reversed(sequence.steps):
        if is_free(step.device_op):
            own |= set(step.operands) if own & set(step.results) else set()
        elif not own & set(step.results):
            types, layouts = step.device_op.op.results, step.device_op.results
            pairs = zip(types, layouts, strict=True)
            nbytes += sum(layout.bank_bytes(t, chip.num_cores) for t, layout in pairs if layout.in_l1)
    return nbytes


def _of_step(step: Step, chip: ChipDesc) -> int:
    return (_of_one if step.own else footprint)(step.device_op, chip)


def _of_one(device_op: DeviceOp, chip: ChipDesc) -> int:
    """Return the bytes of one call: its buffers, and intermediates of its kernels."""
    return _of_call(device_op, chip) + transposed_bytes(device_op, Grid(*chip.grid))


def _of_call(device_op: DeviceOp, chip: ChipDesc) -> int:
    """Return the bytes for the op's `config`, with defaults for missing fields."""
    if is_free(device_op):
        return 0
    known = named_bytes(device_op, chip)
    return _of_nest(device_op, chip) if known is None else known


def _of_nest(device_op: DeviceOp, chip: ChipDesc) -> int:
    """Return the bytes by the op's loops."""
    if is_attention(device_op.dispatch):
        return _attention(device_op, chip)
    if is_contraction(device_op.dispatch):
        return _matmul(device_op, chip)
    if (kernel_bytes := _of_kernel(device_op, chip)) is not None:
        return kernel_bytes
    if is_rowwise(device_op.dispatch):
        return _rowwise(device_op, chip)
    total = _partial_products(device_op, chain) if (chain := chain_of(device_op.op)) else 0
    total += halo.nbytes if (halo := Halo.of(device_op)) else 0
    if (pooled := pool_bytes(device_op.op)) is not None:
        return total + pooled
    return total + sum(DOUBLE * _stream(device_op, chip, *part) for part in parts(device_op))


def _of_kernel(device_op: DeviceOp, chip: ChipDesc) -> int | None:
    """Return the exact bytes of a kernel; None if unknown. A kernel that moves longer rows may need less."""
    in_chunks = call_kind(device_op.op) in _OF_ROWS
    if (in_chunks or all(layout.tiled for layout in device_op.layouts())) and is_eltwise(device_op.op):
        return eltwise_bytes(device_op)
    if divides_rows(device_op.op):
        return norm_bytes(device_op, chip)
    if is_softmax(device_op.op):
        return _of_softmax(device_op, chip)
    if tall := TallReduction.of(device_op, Grid(*chip.grid)):
        return tall.nbytes(device_op.operands[0].dtype, device_op.results[0].dtype)
    moved = movement_bytes(device_op, chip)
    return None if moved is None or moved > chip.l1_usable_bytes else moved


def _of_softmax(device_op: DeviceOp, chip: ChipDesc) -> int | None:
    """Return the bytes of a softmax, by the position of its dimension."""
    behind = len(device_op.dispatch.domain) - 1 - device_op.dispatch.reductions[0]
    if len(device_op.dispatch.reductions) > 1 or not all(layout.tiled for layout in device_op.layouts()):
        return None
    if behind == 0:
        return softmax_bytes(device_op, chip, stable=is_stable(device_op.op))
    return across_bytes(device_op, leading=behind > 1)


def circular_buffers(device_op: DeviceOp, chip: ChipDesc) -> int:
    """Return the bytes of circular buffers alone: the footprint without shards of intermediates."""
    if sequence := call_sequence(device_op, chip):
        steps = sequence.steps
        return max(((_buffers if step.own else circular_buffers)(step.device_op, chip) for step in steps), default=0)
    return _buffers(device_op, chip)


def _buffers(device_op: DeviceOp, chip: ChipDesc) -> int:
    if not is_free(device_op) and has_own_shards(device_op):
        buffers = buffers_of(device_op, chip)
        if isinstance(buffers, ConvolutionBuffers):
            return buffers.buffers(MatmulBlocks.of(device_op).out_block_h)
    pooled = pool_bytes(device_op.op)
    return _of_call(device_op, chip) if pooled is None else pooled


def parts(device_op: DeviceOp) -> list[tuple[IndexingMap, TensorType, Layout]]:
    """Return (map, type, layout) of each operand, then of each result."""
    return list(zip(device_op.dispatch.maps, device_op.types(), device_op.layouts(), strict=True))


def unit_bytes(t: TensorType, layout: Layout) -> int:
    """Return the bytes of one tile's elements of `t`, tiled or not; at most the tensor's bytes."""
    return min(layout.dtype.tile_bytes, layout.nbytes(t))


def dst_tiles(chip: ChipDesc) -> int:
    """Return the 16-bit tiles that an op computes at a time: half of Dst, while the other half is packed."""
    return max(chip.dst_tiles // 2, 1)


def _stream(device_op: DeviceOp, chip: ChipDesc, indexing: IndexingMap, t: TensorType, layout: Layout) -> int:
    if is_local(device_op, indexing, t, layout):
        return 0
    if indexing.access is Access.INDIRECT:
        column = (
            tiles(t.shape[-2]) if None in indexing.loops else 1
        )  # of a slice: what a row is multiplied by at a time
        return max(dst_tiles(chip), column) * unit_bytes(t, layout)
    if indexing.access is Access.WINDOW:
        return min(device_op.dispatch.steps, TILE) * layout.dtype.tile_bytes
    return unit_bytes(t, layout)


def _partial_products(device_op: DeviceOp, chain: Chain) -> int:
    """Return the bytes of input and output rows on a core of the chain; larger lookups use more rounds."""
    elements = min(chain.held_elements / device_op.cores, HELD_ELEMENTS)
    return math.ceil(DOUBLE * elements * device_op.operands[chain.first].dtype.row_major_bytes)


def _matmul(device_op: DeviceOp, chip: ChipDesc) -> int:
    blocks = MatmulBlocks.of(device_op)
    buffers = buffers_of(device_op, chip)
    return buffers.nbytes(blocks.out_block_h, blocks.out_block_w, blocks.in0_block_w, blocks.k_blocks)


def _attention(device_op: DeviceOp, chip: ChipDesc) -> int:
    if isinstance(device_op.op, DecodeAttentionOp):
        return decode_attention_bytes(device_op, device_op.op, chip)
    query, keys = attention_chunks(device_op, chip)
    attended = scores_of(device_op.op)
    if attended is not None and device_op.results[0].dtype is not DType.F32:
        return attention_bytes(device_op, attended, query, keys, chip.num_cores)
    positions = attention_operands(device_op)
    q, k, v = (device_op.op.operands[i] for i in positions)
    lq, lk, lv = (device_op.operands[i] for i in positions)
    depth, width = lk.matrix(k)[1], lv.matrix(v)[1]
    scores = query * keys * DType.BF16.tile_bytes
    others = [part for i, part in enumerate(parts(device_op)[: len(device_op.operands)]) if i not in positions]
    masks = sum(
        DOUBLE * (1 if indexing.access is Access.GATHER else query * keys) * layout.dtype.tile_bytes
        for indexing, _, layout in others
    )
    streams = DOUBLE * keys * (depth * lk.dtype.tile_bytes + width * lv.dtype.tile_bytes)
    query_bytes = query * (lq.matrix(q)[1] * lq.dtype.tile_bytes + DOUBLE * width * DType.BF16.tile_bytes)
    statistics = 4 * query * DType.BF16.tile_bytes
    return scores + masks + streams + query_bytes + statistics


def attention_chunks(device_op: DeviceOp, chip: ChipDesc) -> tuple[int, int]:
    """Return the tiles of queries and keys in one pass of flash attention."""
    rows, keys = device_op.dispatch.domain[-2:]
    config = device_op.config if isinstance(device_op.config, AttentionConfig) else AttentionConfig()
    usual = chip.attention.key_chunk_tiles
    if isinstance(device_op.op, BlockSparseAttention) and device_op.op.block:
        return device_op.op.block
    return min(config.q_chunk_tiles or usual, rows), min(config.k_chunk_tiles or usual, keys)


def row_block(device_op: DeviceOp) -> int:
    """Return the tiles of a row that a core buffers: by configuration, or all of its work."""
    block = device_op.config.block_w if isinstance(device_op.config, RowwiseConfig) else None
    return min(block or device_op.core_steps, device_op.core_steps)


def _rowwise(device_op: DeviceOp, chip: ChipDesc) -> int:
    block = row_block(device_op)
    whole = block == device_op.core_steps
    buffers = 1 if whole else DOUBLE
    operands = parts(device_op)[: len(device_op.op.operands)]
    operand_bytes = sum(
        buffers * (block if indexing.loops else 1) * layout.dtype.tile_bytes
        for indexing, t, layout in operands
        if not is_local(device_op, indexing, t, layout)
    )
    result = device_op.results[0].dtype
    sums = (device_op.row_cores + 1) * DType.BF16.tile_bytes if device_op.row_cores > 1 else 0
    return operand_bytes + sums + block * result.tile_bytes + DOUBLE * min(block, dst_tiles(chip)) * result.tile_bytes
