"""Result of placement."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from ttstack.device.device_op import DeviceOp
from ttstack.device.layout import Layout
from ttstack.placement.trace import PlacementTrace


@dataclass(frozen=True)
class PlacedNode:
    """One op, placed, and the changes of layout that its operands need before it."""

    device_op: DeviceOp
    circular_buffer_bytes: int
    conversions: Mapping[int, "PlacedNode"] = field(default_factory=dict[int, "PlacedNode"])
    """Change of layout by operand position, each a placed op."""
    view: bool = False
    """True if the result is the operand's buffer."""


@dataclass(frozen=True)
class Plan:
    """A layout for each value of the graph and a step for each node."""

    layouts: tuple[Layout, ...]
    steps: tuple[PlacedNode, ...]
    predicted_ns: float
    outputs: Mapping[int, PlacedNode] = field(default_factory=dict[int, PlacedNode])
    """For each output of the function that is not made in DRAM, the change of layout that puts it there."""
    bound_ns: float | None = None
    """Proven lower bound of the time over all placements with the same candidates; None without a proof."""
    greedy_saves_ns: float = 0.0
    """Predicted time by which the greedy placement is shorter; the optimal one avoids it for its uncertainty."""
    trace: PlacementTrace | None = None
    """All decisions, if requested."""
