"""Matmuls."""

import math
from typing import Any

from ttstack.device.device_op import Spread
from ttstack.device.program_config import MatmulConfig, MatmulProgram
from ttstack.ops.types import tiles
from ttstack.ttnn_python.calls.eltwise import activation
from ttstack.ttnn_python.calls.table import calls
from ttstack.ttnn_python.expression import Call, Expression, call
from ttstack.ttnn_python.placed_op import PlacedOp
from ttstack.ttnn_python.spelling import NoCallError, is_turned

_BLOCKS = ("in0_block_w", "out_subblock_h", "out_subblock_w", "out_block_h", "out_block_w", "per_core_M", "per_core_N")


@calls("matmul", "linear")
def matmul(o: PlacedOp) -> Expression:
    """Call a matmul with its program configuration, which fuses the activation."""
    if not o.operand_dtype.is_float:
        raise NoCallError(f"a matmul of {o.operand_dtype}: the library multiplies only real numbers")
    keywords = {
        "transpose_a": o.op.transpose_a or None,
        "transpose_b": (o.op.transpose_b and not is_turned(o.at("b")[1])) or None,
        "memory_config": o.memory,
        "dtype": o.dtype,
        "program_config": program_config(o),
        "compute_kernel_config": o.compute,
    }
    bias = {"bias": o.operand("bias")} if o.op.mnemonic == "linear" else {}
    return call(o.op.mnemonic, o.operand("a"), o.operand("b"), **bias, **keywords)


def program_config(o: PlacedOp) -> Call | None:
    """Return the program configuration with all blocks; None if the op has none."""
    config = o.device_op.config
    if not isinstance(config, MatmulConfig):
        return None
    kind, tiles = config.type, config.tiles()
    blocks = {name: tiles[name] for name in _BLOCKS if name in tiles}
    fused = activation(o.op.activation) if getattr(o.op, "activation", "") else None
    grid = o.device_op.grid
    cores = call("CoreCoord", grid.cols, grid.rows)
    match kind:
        case MatmulProgram.MULTICAST_2D:
            return call(
                kind,
                compute_with_storage_grid_size=cores,
                **blocks,
                transpose_mcast=False,
                fused_activation=fused,
                fuse_batch=True,
            )
        case MatmulProgram.MULTICAST_1D:
            mcast_in0 = o.device_op.spread is Spread.COLUMNS
            return call(
                kind,
                compute_with_storage_grid_size=cores,
                **blocks,
                fuse_batch=True,
                fused_activation=fused,
                mcast_in0=mcast_in0,
            )
        case MatmulProgram.REUSE:
            return _reuse(kind, cores, blocks, fused)
        case MatmulProgram.DRAM_SHARDED:
            t, placed = o.result  # there, per_core_N is the width of the result's shards, on cores of their own
            named = {name: blocks[name] for name in ("in0_block_w", "per_core_M")}
            return call(kind, **named, per_core_N=placed.shard(t)[1], fused_activation=fused)


def _reuse(kind: str, cores: Call, blocks: dict[str, Any], fused: object) -> Call:
    """Return a reuse configuration; its `per_core_M` is one block, of which a core can have several."""
    if fused is not None:
        raise NoCallError(f"{kind} cannot fuse an activation")
    named = {name: n for name, n in blocks.items() if not name.startswith("out_block")}
    named["per_core_M"] = blocks.get("out_block_h", blocks["per_core_M"])
    return call(kind, compute_with_storage_grid_size=cores, **named)


def _one_by_one(o: PlacedOp) -> Call:
    """Return the only configuration of sparse matmuls: blocks in sequence, columns over all cores."""
    rows, depth, columns = (tiles(extent) for extent in (*o.op.a.shape[-2:], o.op.b.shape[-1]))
    grid = o.device_op.grid
    width, config = -(-columns // grid.cores), o.device_op.config
    block = config.in0_block_w if isinstance(config, MatmulConfig) else None
    return call(
        MatmulProgram.MULTICAST_1D,
        compute_with_storage_grid_size=call("CoreCoord", grid.cols, grid.rows),
        in0_block_w=math.gcd(depth, block or 1),
        out_subblock_h=1,
        out_subblock_w=1,
        out_block_h=rows,
        out_block_w=width,
        per_core_M=rows,
        per_core_N=width,
        fuse_batch=False,
        mcast_in0=True,
    )


@calls("sparse_matmul")
def sparse_matmul(o: PlacedOp) -> Expression:
    """Call a matmul of the used blocks without their number, as a wrong number hangs a card."""
    return call(
        "sparse_matmul",
        o.operand("a"),
        o.operand("b"),
        sparsity=o.operand("sparsity"),
        program_config=_one_by_one(o),
        is_input_a_sparse=o.op.is_input_a_sparse,
        is_input_b_sparse=o.op.is_input_b_sparse,
        memory_config=o.memory,
        dtype=o.dtype,
        compute_kernel_config=o.compute,
    )
