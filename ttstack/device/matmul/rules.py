"""Rules of matmul programs for blocks and shards, as `ttnn` 0.81.1 checks them."""

from collections.abc import Iterator

from ttstack.device.device_op import DeviceOp, Spread
from ttstack.device.footprint import dst_tiles
from ttstack.device.kernel_class import keeps_rows, over_banks
from ttstack.device.layout import Layout, MemoryLayout
from ttstack.device.matmul_blocks import MatmulBlocks, extents, per_core
from ttstack.device.program_config import MatmulConfig, MatmulProgram
from ttstack.ops.types import DType
from ttstack.system_desc import ChipDesc


def matmul_faults(device_op: DeviceOp, chip: ChipDesc) -> Iterator[str]:
    """Yield the rules that a matmul's configuration violates; missing fields are full blocks."""
    if not isinstance(device_op.config, MatmulConfig):
        return
    blocks = MatmulBlocks.of(device_op)
    yield from _block_faults(device_op, blocks, chip)
    match device_op.config.type:
        case MatmulProgram.MULTICAST_2D:
            yield from _grid_faults(device_op, blocks)
        case MatmulProgram.MULTICAST_1D if device_op.spread is Spread.COLUMNS:
            yield from _column_faults(device_op, blocks)
        case MatmulProgram.MULTICAST_1D:
            yield from _row_faults(device_op, blocks)
        case MatmulProgram.REUSE:
            yield from _batch_faults(device_op, blocks)
        case MatmulProgram.DRAM_SHARDED:
            yield from _bank_faults(device_op, blocks)


def _block_faults(device_op: DeviceOp, blocks: MatmulBlocks, chip: ChipDesc) -> Iterator[str]:
    """Yield faults of blocks and subblocks, in any program."""
    m, n, height, width = blocks.per_core_m, blocks.per_core_n, blocks.out_block_h, blocks.out_block_w
    rows, columns = blocks.out_subblock_h, blocks.out_subblock_w
    for what, whole, part in (
        ("the tiles along K", blocks.k, blocks.in0_block_w),
        ("per_core_M", 0 if keeps_rows(device_op.op) else m, height),
        ("per_core_N", n, width),
        ("out_block_h", height, rows),
        ("out_block_w", width, columns),
    ):
        if part and whole % part:
            yield f"{what} ({whole}) must be divisible by the block or subblock of {part}"
    if rows * columns > (most := subblock_tiles(device_op, chip)):
        yield f"a subblock of {rows} x {columns} tiles exceeds the {most} that Dst holds"
    if not in_shards(device_op.results[0]):
        return
    if not device_op.results[0].fills(device_op.op.results[0]):
        yield "each core of a product has a shard of the result"
    if not over_banks(device_op.operands[1]):
        if not whole_rows(rows, columns, n):
            yield f"of a sharded result, out_subblock_w ({columns}) is per_core_N ({n}) or out_subblock_h ({rows}) is 1"
        if not whole_rows(height, width, n):
            yield f"of a sharded result, out_block_w ({width}) is per_core_N ({n}) or out_block_h ({height}) is 1"
        if device_op.results[0].shard(device_op.op.results[0]) != (m, n):
            yield f"shards of the result are the {m} x {n} tiles of per_core_M and per_core_N"


def _grid_faults(device_op: DeviceOp, blocks: MatmulBlocks) -> Iterator[str]:
    """Yield faults of a program with rows of blocks over core rows, and columns over core columns."""
    rows, columns = extents(device_op)
    grid, (in0, result) = device_op.grid, _ends(device_op)
    if blocks.per_core_m > rows:
        yield f"per_core_M ({blocks.per_core_m}) exceeds the {rows} rows of tiles"
    yield from _too_many(-(-rows // blocks.per_core_m), grid.rows, "rows of cores")
    yield from _too_many(-(-columns // blocks.per_core_n), grid.cols, "columns of cores")
    if result.sharded and result.memory_layout is not MemoryLayout.BLOCK_SHARDED:
        yield f"a product over a grid gives block shards, not {result.memory_layout}"
    if not in_shards(in0):
        return
    yield from _shard_faults(device_op, blocks)
    match in0.memory_layout:
        case MemoryLayout.BLOCK_SHARDED:
            yield from _unlike(in0, result)
        case MemoryLayout.HEIGHT_SHARDED:
            if blocks.in0_block_w != blocks.k or (in0.grid and in0.grid.cols > 1):
                yield "height shards of a matmul over a grid must be in one column of cores and not be split"
        case _:
            yield f"a product over a grid takes block shards, not {in0.memory_layout}"


def _column_faults(device_op: DeviceOp, blocks: MatmulBlocks) -> Iterator[str]:
    """Yield faults of a program in which every core computes some columns of all rows."""
    rows, columns = extents(device_op)
    in0, result = _ends(device_op)
    yield from _too_many(-(-columns // blocks.per_core_n), device_op.grid.cores, "cores")
    if rows > blocks.per_core_m:
        yield f"per_core_M ({blocks.per_core_m}) is all {rows} rows of tiles where cores have columns"
    if in_shards(in0):
        yield from _shard_faults(device_op, blocks)
        yield from _unlike(in0, result)
        if in0.memory_layout is not MemoryLayout.WIDTH_SHARDED:
            yield f"a product by columns takes width shards, not {in0.memory_layout}"
        yield from _too_many(in0.grid.cores if in0.grid else 1, device_op.grid.cores, "cores, a shard of in0 each,")
    if (in_shards(in0) or result.sharded) and rows != blocks.per_core_m:
        yield f"per_core_M ({blocks.per_core_m}) is the {rows} rows of tiles where shards have columns"
    if result.sharded and not _in_line(result, MemoryLayout.WIDTH_SHARDED):
        yield f"a product by columns gives width shards, not {result.memory_layout}"


def _row_faults(device_op: DeviceOp, blocks: MatmulBlocks) -> Iterator[str]:
    """Yield faults of a program in which every core computes some rows, full ones for shards."""
    rows, columns = extents(device_op)
    in0, result = _ends(device_op)
    pieces = -(-rows // blocks.per_core_m) * -(-columns // blocks.per_core_n)
    yield from _too_many(pieces, device_op.grid.cores, "cores")
    if -(-min(columns, blocks.per_core_n) // blocks.out_block_w) != blocks.column_blocks:
        yield f"the last of {blocks.column_blocks} blocks across has none of the {columns} columns of tiles"
    if in_shards(in0):
        yield from _shard_faults(device_op, blocks)
        yield from _unlike(in0, result)
        if in0.memory_layout is not MemoryLayout.HEIGHT_SHARDED:
            yield f"a product by rows takes height shards, not {in0.memory_layout}"
    if result.sharded and not _in_line(result, MemoryLayout.HEIGHT_SHARDED):
        yield f"a product by rows gives height shards, not {result.memory_layout}"
    if result.sharded and columns != blocks.per_core_n:
        yield f"per_core_N ({blocks.per_core_n}) is the {columns} columns of tiles where shards have rows"


def _batch_faults(device_op: DeviceOp, blocks: MatmulBlocks) -> Iterator[str]:
    """Yield faults of a program in which every core computes rows of matrices of a batch with separate operands."""
    all_rows, columns = extents(device_op)
    rows, height, width = matrix_rows(device_op), blocks.out_block_h, blocks.out_block_w
    in0, result = _ends(device_op)
    if blocks.per_core_m != (share := per_core(device_op)[0]):
        yield f"per_core_M ({blocks.per_core_m}) of a product of a batch is the {share} rows of tiles that a core gets"
    if not keeps_rows(device_op.op):
        yield "a product of a batch has second factors of its own"
    if not whole_matrices(device_op, height):
        yield f"blocks of {height} rows of tiles do not divide the {rows} of a matrix, or whole ones the {all_rows}"
    if not width == blocks.per_core_n == columns:
        yield f"a block of a batched product has whole rows, not {width} of per_core_N ({blocks.per_core_n}) tiles"
    if rows % blocks.out_subblock_h:
        yield f"out_subblock_h ({blocks.out_subblock_h}) must divide the {rows} rows of tiles of a matrix of a batch"
    if in_shards(in0):
        yield from _shard_faults(device_op, blocks)
        yield from _unlike(in0, result)
        if (height, blocks.in0_block_w) != (
            blocks.per_core_m,
            blocks.k,
        ) or in0.memory_layout is MemoryLayout.WIDTH_SHARDED:
            yield "shards of a product of a batch are whole rows, taken at once"
    if result.memory_layout is MemoryLayout.WIDTH_SHARDED:
        yield "a product of a batch gives no width shards"


def _bank_faults(device_op: DeviceOp, blocks: MatmulBlocks) -> Iterator[str]:
    """Yield faults of a program in which each core streams its weight columns from the bank next to it."""
    rows, _ = extents(device_op)
    in0, result = _ends(device_op)
    if rows != 1 or blocks.per_core_m != 1:
        yield f"weights over banks meet one row of tiles, not {rows}"
    for layout in (in0, result):
        if not (in_shards(layout) and layout.memory_layout is MemoryLayout.WIDTH_SHARDED):
            yield "a product with weights over banks takes and gives width shards"


def _shard_faults(device_op: DeviceOp, blocks: MatmulBlocks) -> Iterator[str]:
    """Yield faults of in0 shards, which must have the rows of a core, and whole steps along K."""
    rows, columns = device_op.operands[0].shard(device_op.op.operands[0])
    if rows != blocks.per_core_m:
        yield f"per_core_M ({blocks.per_core_m}) is the {rows} rows of tiles of a shard"
    if columns % blocks.in0_block_w:
        yield f"the {columns} tiles of a shard's rows must be divisible by in0_block_w ({blocks.in0_block_w})"


def _unlike(in0: Layout, result: Layout) -> Iterator[str]:
    if result.sharded and result.memory_layout is not in0.memory_layout:
        yield f"a product of {in0.memory_layout} factors does not give {result.memory_layout} results"


def _too_many(blocks: int, cores: int, what: str) -> Iterator[str]:
    if blocks > cores:
        yield f"{blocks} blocks exceed the {cores} {what}"


def _in_line(result: Layout, kind: MemoryLayout) -> bool:
    """Return True if the shards have this layout, or their blocks form one row or column, which is equivalent."""
    if result.memory_layout is kind or result.grid is None:
        return result.memory_layout is kind
    line = result.grid.rows if kind is MemoryLayout.WIDTH_SHARDED else result.grid.cols
    return result.memory_layout is MemoryLayout.BLOCK_SHARDED and line == 1


def _ends(device_op: DeviceOp) -> tuple[Layout, Layout]:
    """Return the layouts of the first operand and of the result."""
    return device_op.operands[0], device_op.results[0]


def in_shards(result: Layout) -> bool:
    """Return True if cores write their blocks into their own shards."""
    return result.sharded and result.in_l1


def whole_rows(height: int, width: int, per_core_n: int) -> bool:
    """Return True if the tiles of a block are contiguous in a shard: it spans the shard's rows, or has one row."""
    return width == per_core_n or height == 1


def whole_matrices(device_op: DeviceOp, height: int) -> bool:
    """Return True if rows of tiles divide those of a batch's matrix, or are whole matrices that divide the batch."""
    rows, (all_rows, _) = matrix_rows(device_op), extents(device_op)
    return rows % height == 0 or (height % rows == 0 and all_rows % height == 0)


def matrix_rows(device_op: DeviceOp) -> int:
    """Return the rows of tiles of the result, or of one matrix of a batch."""
    dispatch = device_op.dispatch
    return dispatch.domain[dispatch.parallel[-2]]


def subblock_tiles(device_op: DeviceOp, chip: ChipDesc) -> int:
    """Return the result tiles that half of Dst holds; half as many with 32-bit sums."""
    wide = device_op.results[0].dtype in {DType.F32, DType.SI32, DType.UI32}
    return max(dst_tiles(chip) // 2, 1) if wide else dst_tiles(chip)
