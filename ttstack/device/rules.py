"""What kernels of tt-metal ask of layouts and blocks: an op that breaks a rule is refused on a card.

The rules are those that `ttnn` 0.81.1 checks before it launches anything, in its own words where a fault names one.
"""

from collections.abc import Iterator

from ttstack.device.configs.matmul import MatmulConfig
from ttstack.device.device_op import DeviceOp
from ttstack.device.footprint import dst_tiles
from ttstack.device.kernel_class import attention_masks, divides_rows, is_attention, is_product, keeps_rows, turns_first
from ttstack.device.layout import Layout, MemoryLayout, MemorySpace
from ttstack.device.matmul_blocks import MatmulBlocks
from ttstack.ops.base import Op
from ttstack.ops.eltwise import GeluBw
from ttstack.ops.types import DType
from ttstack.system_desc import ChipDesc


def rule_faults(device_op: DeviceOp, chip: ChipDesc) -> Iterator[str]:
    """The rules that an op breaks."""
    yield from layout_faults(device_op)
    if is_product(device_op.op) and isinstance(device_op.config, MatmulConfig):
        yield from _block_faults(device_op, chip)


def map_faults(op: Op) -> Iterator[str]:
    """The rules that the maps of an op break, wherever its operands lie."""
    if is_product(op):
        lead, (a, b) = op.loops.outputs[0].loops[:-2], (set(m.loops[:-2]) for m in op.loops.inputs[:2])
        batch = {i for i in lead if i is not None and op.loops.domain[i] > 1}
        if not batch <= a or (b & batch) not in (set(), batch):
            yield "a product repeats its second operand alone, and for the whole batch"
    elif any(op.operands[at].shape[-2:] != (op.results[0].shape[2], op.operands[1].shape[2]) for at in _full(op)):
        yield "a mask of attention has the rows of the queries and the columns of the keys"
    elif isinstance(op, GeluBw) and op.lhs.shape != op.rhs.shape:
        yield "a derivative repeats no operand"


def _full(op: Op) -> frozenset[int]:
    """Masks of attention over the keys that it has as they are."""
    return attention_masks(op) if is_attention(op.loops) and op.nest is not None else frozenset()


def layout_faults(device_op: DeviceOp) -> Iterator[str]:
    """The rules that an op breaks in any blocks."""
    if divides_rows(device_op.op):
        yield from _norm_faults(device_op)
    elif is_attention(device_op.dispatch):
        yield from _attention_faults(device_op)
    elif turns_first(device_op.op) and (device_op.operands[0].sharded or over_banks(device_op.operands[1])):
        yield "a first operand that a product transposes is read by pages"
    elif is_product(device_op.op) and over_banks(device_op.operands[1]):
        yield from _streamed_faults(device_op)


def _streamed_faults(device_op: DeviceOp) -> Iterator[str]:
    """Faults of a product whose weights lie over the banks of DRAM."""
    given, t = device_op.operands[0], device_op.op.operands[0]
    columns = given.matrix(t)[1]
    if given.sharded and given.grid is not None and given.shard(t)[1] * given.grid.cores != columns:
        yield f"{given.grid.cores} cores do not divide the {columns} tiles of rows that meet weights over banks"


def _norm_faults(device_op: DeviceOp) -> Iterator[str]:
    (source, *_), result = device_op.operands, device_op.results[0]
    if not source.sharded:
        if device_op.row_cores > 1:
            yield "cores share rows of a norm only where they hold them as shards"
    elif source.memory_layout is MemoryLayout.HEIGHT_SHARDED:
        yield "a norm takes no height shards"
    elif (result.memory_layout, result.grid) != (source.memory_layout, source.grid):
        yield "a norm of shards gives such shards"
    elif source.grid is not None:
        rows, cols = source.matrix(device_op.op.operands[0])
        held = source.shard(device_op.op.operands[0])
        _, over = source.memory_layout.cuts(source.grid)
        if held[1] * over != cols:
            yield f"{over} cores do not divide the {cols} tiles of a norm's rows"
        elif rows % held[0]:
            yield f"shards of {held[0]} tiles do not divide the {rows} rows of tiles of a norm"


def _attention_faults(device_op: DeviceOp) -> Iterator[str]:
    for position in attention_masks(device_op.op):
        mask = device_op.operands[position]
        if mask.memory_space is not MemorySpace.DRAM:
            yield "a mask of attention lies in DRAM"


def _block_faults(device_op: DeviceOp, chip: ChipDesc) -> Iterator[str]:
    """Faults of the blocks of a product; one that its configuration leaves out is a whole one."""
    blocks, result = MatmulBlocks.of(device_op), device_op.results[0]
    m, n, height, width = blocks.per_core_m, blocks.per_core_n, blocks.out_block_h, blocks.out_block_w
    rows, columns = blocks.out_subblock_h, blocks.out_subblock_w
    for what, whole, part in (
        ("the tiles along K", blocks.k, blocks.in0_block_w),
        ("per_core_M", m, height),
        ("per_core_N", n, width),
        ("out_block_h", height, rows),
        ("out_block_w", width, columns),
    ):
        if part and whole % part:
            yield f"{what} ({whole}) must be divisible by the block or subblock of {part}"
    if rows * columns > (most := subblock_tiles(device_op, chip)):
        yield f"a subblock of {rows} x {columns} tiles exceeds the {most} that Dst holds"
    if in_shards(result):
        if not whole_rows(rows, columns, n):
            yield f"of a sharded result, out_subblock_w ({columns}) is per_core_N ({n}) or out_subblock_h ({rows}) is 1"
        if not whole_rows(height, width, n):
            yield f"of a sharded result, out_block_w ({width}) is per_core_N ({n}) or out_block_h ({height}) is 1"
    if keeps_rows(device_op.op) and matrix_rows(device_op) % rows:
        yield f"out_subblock_h ({rows}) must divide the {matrix_rows(device_op)} rows of tiles of a matrix of a batch"
    if splits_rows(device_op, n):
        yield f"each core of a batched product makes whole rows, not {n} tiles of them"


def in_shards(result: Layout) -> bool:
    """Whether cores write their blocks into shards of their own."""
    return result.sharded and result.in_l1


def over_banks(weights: Layout) -> bool:
    """Whether each bank of DRAM holds a part of the weights, which the core next to it streams."""
    return weights.sharded and weights.memory_space is MemorySpace.DRAM


def whole_rows(height: int, width: int, per_core_n: int) -> bool:
    """Whether the tiles of a block follow one another in a shard: it spans the shard's rows, or has one row."""
    return width == per_core_n or height == 1


def splits_rows(device_op: DeviceOp, per_core_n: int) -> bool:
    """Whether cores have parts of rows that stay whole."""
    dispatch = device_op.dispatch
    return keeps_rows(device_op.op) and per_core_n != dispatch.domain[dispatch.parallel[-1]]


def matrix_rows(device_op: DeviceOp) -> int:
    """Rows of tiles of the result, or of one matrix of a batch."""
    dispatch = device_op.dispatch
    return dispatch.domain[dispatch.parallel[-2]]


def subblock_tiles(device_op: DeviceOp, chip: ChipDesc) -> int:
    """Tiles of the result that half of Dst holds: half as many with 32-bit sums."""
    wide = device_op.results[0].dtype in {DType.F32, DType.SI32, DType.UI32}
    return max(dst_tiles(chip) // 2, 1) if wide else dst_tiles(chip)
