"""JSON output of `system-desc`."""

from typing_extensions import TypedDict


class DeviceFiguresJson(TypedDict):
    """The main parameters of a device; bytes and bytes per second are of all chips."""

    name: str
    arch: str
    ttnn: str
    """The release of `ttnn` whose kernels the description is for."""
    grids: list[list[int]]
    """Rows and columns of workers of each chip."""
    clock_hz: float
    l1_bytes: int
    """Bytes of each core."""
    dram_bytes: int
    dram_bytes_per_second: float


class PresetJson(DeviceFiguresJson):
    """A device with a name."""

    preset: str


class CheckedDeviceJson(DeviceFiguresJson):
    """A valid description."""

    good: bool
    unsourced: list[str]
    """Numbers without a source."""
