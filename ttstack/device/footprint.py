"""Bytes of circular buffers that an op needs on each of its cores while it runs."""

import math

from ttstack.device.configs.attention import AttentionConfig
from ttstack.device.configs.rowwise import RowwiseConfig
from ttstack.device.device_op import DeviceOp
from ttstack.device.halo import Halo
from ttstack.device.kernel_buffers.attention import attention_bytes
from ttstack.device.kernel_buffers.eltwise import eltwise_bytes, is_eltwise
from ttstack.device.kernel_buffers.movement import movement_bytes
from ttstack.device.kernel_buffers.rows import norm_bytes, softmax_bytes
from ttstack.device.kernel_class import (
    attention_operands,
    divides_rows,
    is_attention,
    is_contraction,
    is_free,
    is_local,
    is_rowwise,
    is_softmax,
    is_stable,
)
from ttstack.device.layout import Layout
from ttstack.device.matmul_blocks import MatmulBlocks
from ttstack.device.matmul_buffers import DOUBLE
from ttstack.device.streamed_buffers import buffers_of
from ttstack.ops.attention import ScaledDotProductAttention
from ttstack.ops.generic import chain_of, named_op
from ttstack.ops.loops import Access, IndexingMap
from ttstack.ops.tensor_train_chain import Chain
from ttstack.ops.tensor_train_stages import HELD_ELEMENTS
from ttstack.ops.types import TILE, DType, TensorType, tiles
from ttstack.system_desc import ChipDesc


def footprint(device_op: DeviceOp, chip: ChipDesc) -> int:
    """Bytes of L1 on each core, without the tensors themselves; what the op's `config` says, defaults where silent."""
    if is_free(device_op):
        return 0
    if is_attention(device_op.dispatch):
        return _attention(device_op, chip)
    if is_contraction(device_op.dispatch):
        return _matmul(device_op)
    if (found := _of_kernel(device_op, chip)) is not None and found <= chip.l1_usable_bytes:
        return found
    if is_rowwise(device_op.dispatch):
        return _rowwise(device_op, chip)
    held = _partial_products(device_op, chain) if (chain := chain_of(device_op.op)) else 0
    held += halo.nbytes if (halo := Halo.of(device_op)) else 0
    return held + sum(DOUBLE * _stream(device_op, chip, *part) for part in parts(device_op))


def _of_kernel(device_op: DeviceOp, chip: ChipDesc) -> int | None:
    """What the kernel of such an op allocates, where that is known to the byte; one for longer rows may take less."""
    tiled = all(layout.tiled for layout in device_op.layouts())
    if tiled and is_eltwise(device_op.op):
        return eltwise_bytes(device_op)
    if divides_rows(device_op.op):
        return norm_bytes(device_op, chip)
    last = device_op.dispatch.reductions == (len(device_op.dispatch.domain) - 1,)
    if is_softmax(device_op.op) and last:
        return softmax_bytes(device_op, chip, stable=is_stable(device_op.op))
    return movement_bytes(device_op, chip)


def parts(device_op: DeviceOp) -> list[tuple[IndexingMap, TensorType, Layout]]:
    """(map, type, layout) of each operand, then of each result."""
    return list(zip(device_op.dispatch.maps, device_op.types(), device_op.layouts(), strict=True))


def unit_bytes(t: TensorType, layout: Layout) -> int:
    """Bytes of the elements of one tile of `t`, tiled or not; never more than the whole tensor."""
    return min(layout.dtype.tile_bytes, layout.nbytes(t))


def dst_tiles(chip: ChipDesc) -> int:
    """16-bit tiles that an op works on at a time: half of Dst, while the other half is packed."""
    return max(chip.dst_tiles // 2, 1)


def _stream(device_op: DeviceOp, chip: ChipDesc, which: IndexingMap, t: TensorType, layout: Layout) -> int:
    if is_local(device_op, which, t, layout):
        return 0
    if which.access is Access.INDIRECT:
        column = tiles(t.shape[-2]) if None in which.loops else 1  # of a slice: what a row is multiplied by at a time
        return max(dst_tiles(chip), column) * unit_bytes(t, layout)
    if which.access is Access.WINDOW:
        return min(device_op.dispatch.steps, TILE) * layout.dtype.tile_bytes
    return unit_bytes(t, layout)


def _partial_products(device_op: DeviceOp, chain: Chain) -> int:
    """Rows that came in and rows that go out, on a core of the chain; what is more takes more turns."""
    elements = min(chain.held_elements / device_op.cores, HELD_ELEMENTS)
    return math.ceil(DOUBLE * elements * device_op.operands[chain.first].dtype.row_major_bytes)


def _matmul(device_op: DeviceOp) -> int:
    blocks = MatmulBlocks.of(device_op)
    buffers = buffers_of(device_op)
    return buffers.nbytes(blocks.out_block_h, blocks.out_block_w, blocks.in0_block_w, blocks.k_blocks)


def _attention(device_op: DeviceOp, chip: ChipDesc) -> int:
    query, keys = attention_chunks(device_op, chip)
    if (
        isinstance(op := named_op(device_op.op), ScaledDotProductAttention)
        and device_op.results[0].dtype is not DType.F32
    ):
        return attention_bytes(device_op, op, query, keys, chip.num_cores)
    places = attention_operands(device_op)
    q, k, v = (device_op.op.operands[i] for i in places)
    lq, lk, lv = (device_op.operands[i] for i in places)
    depth, width = lk.matrix(k)[1], lv.matrix(v)[1]
    scores = query * keys * DType.BF16.tile_bytes
    others = [part for i, part in enumerate(parts(device_op)[: len(device_op.operands)]) if i not in places]
    masks = sum(
        DOUBLE * (1 if which.access is Access.GATHER else query * keys) * layout.dtype.tile_bytes
        for which, _, layout in others
    )
    streams = DOUBLE * keys * (depth * lk.dtype.tile_bytes + width * lv.dtype.tile_bytes)
    held = query * (lq.matrix(q)[1] * lq.dtype.tile_bytes + DOUBLE * width * DType.BF16.tile_bytes)
    statistics = 4 * query * DType.BF16.tile_bytes
    return scores + masks + streams + held + statistics


def attention_chunks(device_op: DeviceOp, chip: ChipDesc) -> tuple[int, int]:
    """Tiles of queries and of keys that one pass of flash attention takes."""
    rows, keys = device_op.dispatch.domain[-2:]
    config = device_op.config if isinstance(device_op.config, AttentionConfig) else AttentionConfig()
    usual = chip.attention.key_chunk_tiles
    return min(config.q_chunk_tiles or usual, rows), min(config.k_chunk_tiles or usual, keys)


def row_block(device_op: DeviceOp) -> int:
    """Tiles of a row that a core holds at once: what its configuration says, else all that it works on."""
    block = device_op.config.block_w if isinstance(device_op.config, RowwiseConfig) else None
    return min(block or device_op.core_steps, device_op.core_steps)


def _rowwise(device_op: DeviceOp, chip: ChipDesc) -> int:
    block = row_block(device_op)
    whole = block == device_op.core_steps
    buffers = 1 if whole else DOUBLE
    operands = parts(device_op)[: len(device_op.op.operands)]
    held = sum(
        buffers * (block if which.loops else 1) * layout.dtype.tile_bytes
        for which, t, layout in operands
        if not is_local(device_op, which, t, layout)
    )
    result = device_op.results[0].dtype
    sums = (device_op.row_cores + 1) * DType.BF16.tile_bytes if device_op.row_cores > 1 else 0
    return held + sums + block * result.tile_bytes + DOUBLE * min(block, dst_tiles(chip)) * result.tile_bytes
