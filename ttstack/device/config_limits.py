"""The largest blocks of an op, and checks of program configurations against them."""

from collections.abc import Iterator

from ttstack.device.device_op import DeviceOp
from ttstack.device.kernel_class import is_attention, is_contraction, is_rowwise
from ttstack.device.matmul_blocks import extents, per_core
from ttstack.device.program_config import (
    AttentionConfig,
    MatmulConfig,
    MatmulProgram,
    ProgramConfig,
    RowwiseConfig,
    Sums,
    WindowConfig,
)
from ttstack.ops.types import DType
from ttstack.ops.windows import WindowOp


def config_faults(device_op: DeviceOp) -> Iterator[str]:
    """Yield reasons why an op cannot have its configuration."""
    config = device_op.config
    if config is None:
        return
    limits = _limits(device_op, config)
    if limits is None or type(limits) is not type(config):
        yield f"has a {type(config).__name__}, it takes {'none' if limits is None else f'a {type(limits).__name__}'}"
        return
    if isinstance(config, RowwiseConfig) and config.sums is Sums.BF16 and device_op.results[0].dtype is DType.F32:
        yield "accumulates in bf16 but outputs f32"
    most = limits.tiles()
    for name, count in config.tiles().items():
        if count > most[name]:
            yield f"has {count} as '{name}' of its configuration, there are {most[name]} tiles"


def _limits(device_op: DeviceOp, config: ProgramConfig) -> ProgramConfig | None:
    """Return the configuration with the largest blocks of the op's kernel; None if it has no choice."""
    dispatch = device_op.dispatch
    if is_attention(dispatch):
        rows, keys = dispatch.domain[-2:]
        return AttentionConfig(max(rows, 1), max(keys, 1))
    if is_contraction(dispatch):
        own = config if isinstance(config, MatmulConfig) else MatmulConfig(MatmulProgram.REUSE)
        return _matmul_limits(device_op, own)
    if is_rowwise(dispatch):
        return RowwiseConfig(max(device_op.core_steps, 1))
    if isinstance(device_op.op, WindowOp):
        return WindowConfig(max(device_op.core_domain[0], 1))
    return None


def _matmul_limits(device_op: DeviceOp, config: MatmulConfig) -> MatmulConfig:
    m, n = (max(extent, 1) for extent in per_core(device_op))
    rows, columns = extents(device_op)  # more than a core's share makes fewer cores busy
    height, width = min(config.per_core_M or m, max(rows, m)), min(config.per_core_N or n, max(columns, n))
    return MatmulConfig(
        type=config.type,
        in0_block_w=max(device_op.dispatch.steps, 1),
        per_core_M=height,
        per_core_N=width,
        out_block_h=height,
        out_block_w=width,
        out_subblock_h=config.out_block_h or height,
        out_subblock_w=config.out_block_w or width,
    )
