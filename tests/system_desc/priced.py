"""Ops that together depend on every figure that a prediction depends on, and what they are predicted to take."""

from collections.abc import Iterator
from dataclasses import replace

import ttstack
from tests.cost.examples import GRID, PRICED, placed, placed_matmul, real
from tests.mesh.text import Text
from tests.ops.sized import sized
from ttstack.cost import predict
from ttstack.device.device_op import DeviceOp, Fidelity, Spread
from ttstack.device.layout import Grid, Layout, MemoryLayout, MemorySpace
from ttstack.device.program_config import MatmulConfig, MatmulProgram
from ttstack.ops import OPS
from ttstack.ops.types import DType, TensorType
from ttstack.system_desc import ChipDesc, SystemDesc
from ttstack.system_desc.system import LinkDesc

DRAM = Layout(DType.BF16)
SHARD = Layout(DType.BF16, True, MemorySpace.L1, MemoryLayout.HEIGHT_SHARDED, GRID)
BLOCK = replace(SHARD, memory_layout=MemoryLayout.BLOCK_SHARDED)


def placed_ops(chip: ChipDesc) -> Iterator[DeviceOp]:
    """Every op, and in the formats, fidelities and memories in which other figures count."""
    for mnemonic in PRICED:
        yield placed(mnemonic, chip, 16)
    yield from (placed(mnemonic, chip) for mnemonic in ("matmul", "linear"))
    t = real(2048, 2048)
    for fidelity in Fidelity:
        yield placed_matmul(OPS["matmul"].on([t, t], {}), (DRAM, DRAM), DRAM, chip, fidelity)
        for mnemonic in ("multiply", "sum"):
            yield replace(placed(mnemonic, chip), fidelity=fidelity)
    yield replace(placed("relu", chip), operands=(Layout(DType.BFP4_B),))
    yield DeviceOp(OPS["to_layout"].on([t], {}, t), (SHARD,), (BLOCK,), GRID)
    yield DeviceOp(OPS["relu"].on([t], {}), (SHARD,), (SHARD,), GRID)
    wide = sized("tanh", 512).op.operands[0]
    single = Layout(DType.F32)
    yield DeviceOp(OPS["tanh"].on([replace(wide, dtype=DType.F32)], {}), (single,), (single,), GRID)
    yield from (_decoding(keys, chip) for keys in (2**9, 2**15))
    yield from _to_and_from_the_host()
    yield _table_at_hand(chip)
    yield from _moved()
    yield from _in_l1(chip)
    yield _with_weights_over_banks(chip)
    shares = {"reduce_type": "sum", "cluster_axis": 1}
    yield DeviceOp(OPS["all_reduce"].on([t], shares, t), (DRAM,), (DRAM,), GRID)
    parts = {"split_dim": 1, "concat_dim": 1, "split_count": 2, "replica_groups": ((0, 1),)}
    yield DeviceOp(OPS["all_to_all"].on([t], parts, t), (DRAM,), (DRAM,), GRID)


def _moved() -> Iterator[DeviceOp]:
    """Tiles that become rows, rows that become tiles, rows of other lengths, pages anywhere in L1."""
    rows, tiles = replace(DRAM, tiled=False), DRAM
    for shape in ((64, 64), (2048, 2048), (40, 40)):
        t = real(*shape)
        op = OPS["to_layout"].on([t], {}, t)
        yield DeviceOp(op, (tiles,), (rows,), GRID)
        yield DeviceOp(op, (rows,), (tiles,), GRID)
    yield DeviceOp(OPS["reshape"].on([real(512, 6)], {"shape": (64, 48)}), (rows,), (rows,), GRID)
    spread = replace(DRAM, memory_space=MemorySpace.L1)
    t = real(2048, 2048)
    yield DeviceOp(OPS["to_layout"].on([t], {}, t), (spread,), (spread,), GRID)


def _in_l1(chip: ChipDesc) -> Iterator[DeviceOp]:
    """Operands on other cores, beside shards or not, rows that cores share, and small pages that are cut anew."""
    spread = replace(DRAM, memory_space=MemorySpace.L1)
    t = real(4096, 4096)
    yield DeviceOp(OPS["relu"].on([t], {}), (spread,), (spread,), GRID)
    t = real(2048, 2048)
    yield DeviceOp(OPS["add"].on([t, t], {}), (SHARD, DRAM), (SHARD,), GRID)
    norm = OPS["layer_norm"].on([t], {"normalized_shape": (2048,)})
    yield DeviceOp(norm, (BLOCK,), (BLOCK,), GRID, Spread.BLOCKS)
    rows, columns = (replace(shard, tiled=False) for shard in (SHARD, BLOCK))
    small = real(2048, 128)
    yield DeviceOp(OPS["to_layout"].on([small], {}, small), (rows,), (columns,), GRID)


def _with_weights_over_banks(chip: ChipDesc) -> DeviceOp:
    """One token through weights whose columns lie over the banks of DRAM."""
    banks = replace(DRAM, memory_layout=MemoryLayout.WIDTH_SHARDED, grid=Grid(1, chip.dram.num_channels))
    op = OPS["matmul"].on([real(32, 2048), real(2048, 12 * 256)], {})
    config = MatmulConfig(MatmulProgram.DRAM_SHARDED, in0_block_w=1, per_core_M=1, per_core_N=8)
    return DeviceOp(op, (DRAM, banks), (DRAM,), GRID, config=config)


def _to_and_from_the_host() -> Iterator[DeviceOp]:
    text = Text((1, 2))
    part = text.shard(text.argument(2048, 1024), (0, 0))
    program = ttstack.compile(text.module(text.join(part, (0, 0))), system_desc="wormhole_n300")
    function = program.function()
    yield from (function.device_op(op) for op in function.operations if op.name == "mesh_shard")


def _decoding(length: int, chip: ChipDesc) -> DeviceOp:
    """One token of one user, whose keys are divided over cores in chunks as the kernel has them by default."""
    query, keys = real(1, 1, 1, 64), real(1, 1, length, 64)
    given = {"query": query, "key": keys, "value": keys, "cur_pos_tensor": TensorType((1,), DType.I32)}
    spec = OPS["scaled_dot_product_attention_decode"]
    like = placed("scaled_dot_product_attention_decode", chip)
    op = spec.on([given.get(name) for name in spec.operand_specs()], {"is_causal": False})
    return replace(like, op=op, config=None, operands=(DRAM,) * len(op.operands), results=(DRAM,) * len(op.results))


def _table_at_hand(chip: ChipDesc) -> DeviceOp:
    """Lookups in a table in Tensor-Train form, of which each core has a copy."""
    op = placed("tensor_train_embedding", chip)
    copied = Layout(DType.BF16, False, MemorySpace.L1, MemoryLayout.REPLICATED, GRID)
    return replace(op, operands=(op.operands[0], *(copied for _ in op.operands[1:])))


def predictions(ops: list[DeviceOp], system: SystemDesc) -> Iterator[dict[str, float]]:
    """What each op consists of, on the first chip."""
    chip = system.chips[0]
    around = tuple(LinkDesc(from_chip=i, to_chip=(i + 1) % 4, channels=1) for i in range(4))
    ring = SystemDesc(name="ring", chips=(chip,) * 4, mesh_shape=(1, 4), links=around)
    for op in ops:
        cost = predict(op, chip, system)
        yield cost.terms | {"dram_utilisation": cost.dram_utilisation}
        if op.op.mnemonic == "all_reduce":
            yield {**predict(op, chip, ring).terms}
