"""What `system-desc` prints as JSON."""

from typing_extensions import TypedDict


class DeviceFiguresJson(TypedDict):
    """What tells devices apart; bytes and bytes a second are those of all chips."""

    name: str
    arch: str
    ttnn: str
    """The release of `ttnn` whose kernels the figures describe."""
    grids: list[list[int]]
    """Rows and columns of workers of each chip."""
    clock_hz: float
    l1_bytes: int
    """Those of each core."""
    dram_bytes: int
    dram_bytes_per_second: float


class PresetJson(DeviceFiguresJson):
    """A device that is known by a name."""

    preset: str


class CheckedDeviceJson(DeviceFiguresJson):
    """A description without faults."""

    good: bool
    unsourced: list[str]
    """Figures that have no source."""
