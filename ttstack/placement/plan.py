"""What placement decided."""

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
    """By operand position: the change of layout, itself a placed op."""
    view: bool = False
    """Whether the result is the operand's buffer."""


@dataclass(frozen=True)
class Plan:
    """A layout for each value of the graph and a step for each node."""

    layouts: tuple[Layout, ...]
    steps: tuple[PlacedNode, ...]
    predicted_ns: float
    outputs: Mapping[int, PlacedNode] = field(default_factory=dict[int, PlacedNode])
    """For each output of the function that is not made in DRAM, the change of layout that puts it there."""
    bound_ns: float | None = None
    """No placement with the same candidates is faster, as far as was proven; None where nothing was."""
    greedy_saves_ns: float = 0.0
    """How much shorter the greedy placement is predicted to be, which an optimal one avoids for its uncertainty."""
    trace: PlacementTrace | None = None
    """All decisions, where they were asked for."""
