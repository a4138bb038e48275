"""Whether an operation can run as recorded: its configuration, its circular buffers, the buffer that it shares."""

from collections.abc import Iterator
from typing import Any

from ttstack.device.device_op import DeviceOp
from ttstack.device.footprint import footprint
from ttstack.device.kernel_class import is_attention, is_contraction, is_rowwise, is_view
from ttstack.device.matmul_blocks import per_core
from ttstack.ops.windows import WindowOp
from ttstack.program.buffers import owner
from ttstack.program.records import Function, Operation
from ttstack.system_desc import ChipDesc

BLOCKS = (
    *("in0_block_w", "per_core_M", "per_core_N", "out_block_h", "out_block_w", "out_subblock_h", "out_subblock_w"),
    *("block_w", "q_chunk_tiles", "k_chunk_tiles"),
)
"""What counts tiles; whatever else a configuration says, nothing here computes with."""


def operation_faults(function: Function, op: Operation, chip: ChipDesc) -> Iterator[str]:
    """Why an operation cannot run so; its references, types and layouts must be valid."""
    yield from _alias_faults(function, op)
    try:
        why = next(config_faults(function.device_op(op)), None) or _l1_fault(function.device_op(op), op, chip)
    except (ValueError, TypeError, LookupError, ArithmeticError) as error:
        why = f"has loops that do not fit its operands: {error}"
    if why is not None:
        yield why


def _alias_faults(function: Function, op: Operation) -> Iterator[str]:
    for result in (function.tensors[i] for i in op.results):
        if result.alias is None:
            continue
        shared = f"defines tensor {result.id} '{result.name}' in the buffer of tensor {result.alias}"
        source = op.operands[0] if op.operands else None
        if source is None or owner(function, source) != owner(function, result.id):
            yield f"{shared}, which is not that of its operand"
        elif not is_view(function.definition(op)):
            yield f"{shared}, but makes no view of it"
        elif function.tensors[source].layout != result.layout:
            yield f"{shared}, but as {result.layout}, not {function.tensors[source].layout}"


def config_faults(device_op: DeviceOp) -> Iterator[str]:
    """Why an op cannot have its configuration."""
    config = device_op.config
    if not isinstance(config.get("type", ""), str):
        yield f"has {config['type']!r} as 'type' of its configuration, which is no name"
    for key in (key for key in BLOCKS if key in config):
        if not _counts(config[key]):
            yield f"has {config[key]!r} as '{key}' of its configuration, which is no number of tiles from 1 on"
    for key, most in _limits(device_op).items():
        if config.get(key, 1) > most:
            yield f"has {config[key]} as '{key}' of its configuration, there are {most} tiles"


def _counts(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 1


def _limits(device_op: DeviceOp) -> dict[str, int]:
    """The most tiles that each block of the op can have."""
    dispatch, config = device_op.dispatch, device_op.config
    if is_attention(dispatch):
        rows, keys = dispatch.domain[-2:]
        found = {"q_chunk_tiles": rows, "k_chunk_tiles": keys}
    elif is_contraction(dispatch):
        m, n = per_core(device_op)
        height, width = config.get("per_core_M", m), config.get("per_core_N", n)
        found = {"per_core_M": m, "per_core_N": n, "in0_block_w": dispatch.steps}
        found |= {"out_block_h": height, "out_block_w": width}
        found |= {
            "out_subblock_h": config.get("out_block_h", height),
            "out_subblock_w": config.get("out_block_w", width),
        }
    elif is_rowwise(dispatch):
        found = {"block_w": device_op.core_steps}
    elif isinstance(device_op.op, WindowOp):
        found = {"out_block_h": device_op.core_domain[0]}
    else:
        found = {}
    return {key: max(most, 1) for key, most in found.items()}


def _l1_fault(device_op: DeviceOp, op: Operation, chip: ChipDesc) -> str | None:
    needed = footprint(device_op, chip)
    if op.circular_buffer_bytes >= needed:
        return None
    return f"has {op.circular_buffer_bytes:,} bytes of circular buffers on each core, it needs {needed:,}"
