"""Convolutions in `ops_perf_results`: as products of matrices, with the windows that make them."""

import math
from collections.abc import Iterator

from ttstack.device.program_config import MatmulConfig
from ttstack.ops.base import OPS
from ttstack.ops.conv import Convolution
from ttstack.report.model import OpReport

Shape = tuple[int, ...]
_CHANNELS = 8
"""Whose bf16 is as long as L1 is aligned."""


def convolution(op: OpReport) -> Convolution | None:
    """Return the definition of a convolution on its types; None of other ops."""
    kind = OPS[op.name]
    if not issubclass(kind, Convolution):
        return None
    found = kind.on([t.type for t in op.operands], op.attributes, *(t.type for t in op.results))
    assert isinstance(found, Convolution)
    return found


def operand_shape(op: Convolution, place: int) -> Shape:
    """Return an operand's shape in the kernel: pixels by channels; prepared weights have a row per tap and channel."""
    match place:
        case 0:
            return (math.prod(op.sizes[:-1]), op.channels)
        case 1:
            return (op.weight.size // op.out_channels, op.out_channels)
        case _:
            return (1, op.out_channels)


def padded_channels(op: Convolution) -> int:
    """Channels of the pixels that windows slide over, which tt-metal pads (get_input_channels_alignment)."""
    return -(-op.channels // _CHANNELS) * _CHANNELS


def result_shape(op: Convolution) -> Shape:
    """Return the result as the kernel makes it: pixels by channels."""
    return (op.results[0].size // op.out_channels, op.out_channels)


def window_attributes(op: OpReport, found: Convolution) -> Iterator[tuple[str, str]]:
    """Yield the profiler's extra attributes of a convolution; the outer two of three axes count as one."""
    sizes, windows = found.sizes, found.windows
    kernel, steps, dilation = ([getattr(w, name) for w in windows] for name in ("kernel", "stride", "dilation"))
    pads = "; ".join(f"({w.low}; {w.high})" for w in windows[-2:])
    fields = (
        f"batch_size={found.batch}",
        f"input_hw={_pair(sizes[1:-1])}",
        f"window_hw={_pair(kernel)}",
        f"stride_hw={_pair(steps)}",
        f"padding=({pads})",
        f"dilation_hw={_pair(dilation)}",
        f"num_cores_nhw={op.grid.rows}",
        f"num_cores_c={op.grid.cols}",
    )
    yield "sliding_window_config", f"SlidingWindowConfig({'; '.join(fields)})"
    if isinstance(op.config, MatmulConfig):
        yield from _blocks(op.config)


def _blocks(config: MatmulConfig) -> Iterator[tuple[str, str]]:
    height, width = config.per_core_M, config.per_core_N
    each = f"per_core_out_matrix_height_ntile={height}; per_core_out_matrix_width_ntile={width}"
    yield "parallelization_config", f"Conv2dParallelizationConfig({each})"
    block = f"act_block_h_ntiles={config.out_block_h or height}; act_block_w_ntiles={config.in0_block_w}"
    subblock = f"out_subblock_h_ntiles={config.out_subblock_h}; out_subblock_w_ntiles={config.out_subblock_w}"
    yield "block_config", f"Conv2dBlockConfig({block}; {subblock})"


def _pair(values: list[int] | Shape) -> str:
    """Height and width: 1 for the height of one axis, the product of the outer two of three."""
    return f"({math.prod(values[:-1])};{values[-1]})"
