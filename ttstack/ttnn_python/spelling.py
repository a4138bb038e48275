"""Layouts, element types and compute configurations as `ttnn` spells them."""

import re
from typing import Any

from ttstack.device.data_types import data_type_name, is_held
from ttstack.device.device_op import DeviceOp
from ttstack.device.kernel_class import wide_sums
from ttstack.device.layout import Grid, Layout, MemoryLayout, MemorySpace
from ttstack.ops.types import TILE, DType, TensorType
from ttstack.ttnn_python.expression import Call, Name, call


class NoCallError(Exception):
    """What an op asks for and `ttnn` has no call for; the text says what."""


def data_type(dtype: DType) -> Name:
    """What `ttnn` calls the element format."""
    if not is_held(dtype):
        raise NoCallError(f"there is no format {dtype}")
    return Name(f"ttnn.{data_type_name(dtype).lower()}")


def layout(found: Layout) -> Name:
    """Tiles, or rows."""
    return Name("ttnn.TILE_LAYOUT" if found.tiled else "ttnn.ROW_MAJOR_LAYOUT")


def cores(grid: Grid) -> Call:
    """All cores of a rectangle at the origin."""
    corners = [call("CoreCoord", 0, 0), call("CoreCoord", grid.cols - 1, grid.rows - 1)]
    return call("CoreRangeSet", [call("CoreRange", *corners)])


def shard_shape(found: Layout, t: TensorType) -> list[int]:
    """Rows and columns of elements of the fullest shard."""
    rows, cols = found.shard(t)
    return [rows * TILE, cols * TILE] if found.tiled else [rows, t.shape[-1] if t.rank else 1]


def memory_layout(kind: MemoryLayout) -> Name:
    """How pages are spread."""
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
    """Where a tensor lies, and how it is divided over cores or banks."""
    space = Name(f"ttnn.BufferType.{found.memory_space.upper()}")
    kind = memory_layout(found.memory_layout)
    if found.grid is None:
        return call("MemoryConfig", kind, space)
    rows = Name("ttnn.ShardOrientation.ROW_MAJOR")
    return call("MemoryConfig", kind, space, call("ShardSpec", cores(found.grid), shard_shape(found, t), rows))


def is_turned(found: Layout) -> bool:
    """Whether these are rows of weights over banks: the library takes columns alone, so their transpose is given."""
    return found.memory_space is MemorySpace.DRAM and found.memory_layout is MemoryLayout.HEIGHT_SHARDED


def compute_config(device_op: DeviceOp) -> Call:
    """Passes of the multiplier, and the width of sums."""
    return call(
        "WormholeComputeKernelConfig",
        math_fidelity=Name(f"ttnn.MathFidelity.{device_op.fidelity}"),
        math_approx_mode=False,
        fp32_dest_acc_en=wide_sums(device_op),
        packer_l1_acc=True,
    )


class Constants:
    """Configurations that several calls share, each under a name at the top of the file."""

    def __init__(self) -> None:
        self.values: dict[str, Call] = {}

    def memory(self, found: Layout, t: TensorType) -> Name:
        """The name of a tensor's memory configuration."""
        value = memory_config(found, t)
        space = found.memory_space.upper()
        if found.grid is None:
            return self._named(space, value)
        shape = "x".join(map(str, shard_shape(found, t)))
        kind = found.memory_layout.removesuffix("_sharded").upper()
        return self._named(f"{space}_{kind}_{shape}_ON_{found.grid}", value)

    def compute(self, device_op: DeviceOp) -> Name:
        """The name of an op's compute configuration."""
        suffix = "_FP32" if wide_sums(device_op) else ""
        return self._named(f"{device_op.fidelity.upper()}{suffix}", compute_config(device_op))

    def _named(self, name: str, value: Call) -> Name:
        assert self.values.setdefault(name, value) == value, name
        return Name(name)


def identifier(text: Any) -> str:
    """A variable's name after the name of a tensor."""
    found = re.sub(r"\W+", "_", str(text)).strip("_").lower()
    return f"t_{found}" if not found or found[0].isdigit() else found
