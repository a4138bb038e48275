"""Block sizes of ops that keep rows, scores of attention, or what windows see in a core."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from ttstack.device.device_op import DeviceOp
from ttstack.device.footprint import attention_chunks, footprint
from ttstack.device.halo import Halo, holds_shard
from ttstack.device.kernel_class import is_attention, is_matmul, is_rowwise
from ttstack.device.matmul_blocks import MatmulBlocks
from ttstack.system_desc import ChipDesc


def block_config(device_op: DeviceOp, chip: ChipDesc, l1_budget: int) -> dict[str, Any] | None:
    """The largest blocks whose buffers fit `l1_budget` bytes, as `config`; None where not even the smallest do.

    Ops without a choice of blocks get an empty `config`. Matrix products have `matmul_config`.
    """
    for config in block_configs(device_op, chip):
        if footprint(replace(device_op, config=config), chip) <= l1_budget:
            return config
    return None


def block_configs(device_op: DeviceOp, chip: ChipDesc) -> Iterator[dict[str, Any]]:
    """Configurations from the most L1 to the least; one empty one where there is no choice."""
    dispatch = device_op.dispatch
    if is_attention(dispatch):
        yield from _chunks(*attention_chunks(replace(device_op, config={}), chip))
    elif is_rowwise(dispatch):
        yield from ({"block_w": block} for block in _halves(device_op.core_steps))
    elif Halo.of(device_op) and not holds_shard(device_op, device_op.operands[0]):
        yield from ({"out_block_h": block} for block in _halves(device_op.core_domain[0]))
    else:
        yield dict(device_op.config)


def whole_config(device_op: DeviceOp) -> dict[str, Any]:
    """The configuration with what it leaves out because it is one block of all."""
    config = dict(device_op.config)
    if not is_matmul(device_op.dispatch):
        return config
    blocks = MatmulBlocks.of(device_op)
    return {"out_block_h": blocks.out_block_h, "out_block_w": blocks.out_block_w} | config


def _chunks(query: int, keys: int) -> Iterator[dict[str, Any]]:
    while True:
        yield {"q_chunk_tiles": query, "k_chunk_tiles": keys}
        if query * keys == 1:
            return
        query, keys = (-(-query // 2), keys) if query >= keys else (query, -(-keys // 2))


def _halves(extent: int) -> Iterator[int]:
    while extent > 1:
        yield extent
        extent = -(-extent // 2)
    yield 1
