"""`ttnn` names of layouts, element types and compute configurations."""

import re
from typing import Any

from ttstack.device.data_types import data_type_name, is_held
from ttstack.device.device_op import DeviceOp
from ttstack.device.kernel_class import wide_sums
from ttstack.device.layout import Grid, Layout, MemoryLayout, MemorySpace
from ttstack.ops.types import TILE, DType, TensorType
from ttstack.ttnn_python.expression import Call, Name, call


class NoCallError(Exception):
    """An op for which `ttnn` has no call; the text has the reason."""


def data_type(dtype: DType) -> Name:
    """Return the `ttnn` name of an element format."""
    if not is_held(dtype):
        raise NoCallError(f"there is no format {dtype}")
    return Name(f"ttnn.{data_type_name(dtype).lower()}")


def layout(found: Layout) -> Name:
    """Return the layout: tiles or rows."""
    return Name("ttnn.TILE_LAYOUT" if found.tiled else "ttnn.ROW_MAJOR_LAYOUT")


def cores(grid: Grid) -> Call:
    """Return all cores of a rectangle at the origin."""
    corners = [call("CoreCoord", 0, 0), call("CoreCoord", grid.cols - 1, grid.rows - 1)]
    return call("CoreRangeSet", [call("CoreRange", *corners)])


def shard_shape(found: Layout, t: TensorType) -> list[int]:
    """Return rows and columns of elements of the fullest shard."""
    rows, cols = found.shard(t)
    return [rows * TILE, cols * TILE] if found.tiled else [rows, t.shape[-1] if t.rank else 1]


def memory_layout(kind: MemoryLayout) -> Name:
    """Return the memory layout."""
    match kind:
        case (
            MemoryLayout.INTERLEAVED
            | MemoryLayout.HEIGHT_SHARDED
            | MemoryLayout.WIDTH_SHARDED
            | MemoryLayout.BLOCK_SHARDED
        ):
            return Name(f"ttnn.TensorMemoryLayout.{kind.upper()}")
        case MemoryLayout.REPLICATED:
            raise NoCallError("no memory configuration gives all cores a copy")


def memory_config(found: Layout, t: TensorType) -> Call:
    """Return the memory configuration of a tensor."""
    space = Name(f"ttnn.BufferType.{found.memory_space.upper()}")
    kind = memory_layout(found.memory_layout)
    if found.grid is None:
        return call("MemoryConfig", kind, space)
    rows = Name("ttnn.ShardOrientation.ROW_MAJOR")
    return call("MemoryConfig", kind, space, call("ShardSpec", cores(found.grid), shard_shape(found, t), rows))


def is_turned(found: Layout) -> bool:
    """Return True for weights sharded by rows over banks; the library supports only columns, so they are transposed."""
    return found.memory_space is MemorySpace.DRAM and found.memory_layout is MemoryLayout.HEIGHT_SHARDED


def compute_config(device_op: DeviceOp) -> Call:
    """Return math fidelity and accumulation width."""
    return call(
        "WormholeComputeKernelConfig",
        math_fidelity=Name(f"ttnn.MathFidelity.{device_op.fidelity}"),
        math_approx_mode=False,
        fp32_dest_acc_en=wide_sums(device_op),
        packer_l1_acc=True,
    )


class Constants:
    """Configurations shared by several calls, named at the top of the file."""

    def __init__(self) -> None:
        self.values: dict[str, Call] = {}

    def memory(self, found: Layout, t: TensorType) -> Name:
        """Return the name of a tensor's memory configuration."""
        value = memory_config(found, t)
        space = found.memory_space.upper()
        if found.grid is None:
            return self._named(space, value)
        shape = "x".join(map(str, shard_shape(found, t)))
        kind = found.memory_layout.removesuffix("_sharded").upper()
        return self._named(f"{space}_{kind}_{shape}_ON_{found.grid}", value)

    def compute(self, device_op: DeviceOp) -> Name:
        """Return the name of an op's compute configuration."""
        suffix = "_FP32" if wide_sums(device_op) else ""
        return self._named(f"{device_op.fidelity.upper()}{suffix}", compute_config(device_op))

    def _named(self, name: str, value: Call) -> Name:
        assert self.values.setdefault(name, value) == value, name
        return Name(name)


def loop_function(body: str) -> str:
    """Return the name of the function that repeats a loop's body."""
    return f"repeat_{identifier(body)}"


def identifier(text: Any) -> str:
    """Return a variable name for a tensor's name."""
    found = re.sub(r"\W+", "_", str(text)).strip("_").lower()
    return f"t_{found}" if not found or found[0].isdigit() else found
