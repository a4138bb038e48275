"""Times on a device that differs from the measured one: which of its figures they depend on."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property

from ttstack.cost.confidence import Confidence
from ttstack.cost.prediction import predict_calls
from ttstack.device.device_op import DeviceOp
from ttstack.device.layout import Grid
from ttstack.system_desc import ChipDesc, SystemDesc
from ttstack.system_desc.chip_figures import with_measured_figures
from ttstack.system_desc.fields import unpriced_reason
from ttstack.system_desc.measured_figures import spell_change

_GRID, _CHANNELS = "grid", "dram.num_channels"
_Change = tuple[str, ...]
"""Paths of figures that have to agree with each other, or of one."""
SAME = 0.01
"""Maximum relative change of a time for which its measurements remain valid."""
_NAMED = 3
"""Changed figures that a reason names one by one."""


@dataclass(frozen=True)
class Extrapolation:
    """A chip and the measured one of its calibration."""

    chip: ChipDesc
    system: SystemDesc
    _devices: dict[tuple[str, ...], tuple[ChipDesc, SystemDesc]] = field(
        default_factory=dict[tuple[str, ...], tuple[ChipDesc, SystemDesc]]
    )

    def apply(self, confidence: Confidence, device_op: DeviceOp, elapsed_ns: float) -> Confidence:
        """Return the confidence without an error if the op's time depends on a figure that was not measured.

        `beyond` says which figures these are. The op is priced again with the measured values, as it is placed.
        """
        reasons = tuple(self._reasons(device_op, elapsed_ns))
        if not reasons:
            return confidence
        beyond = (*reasons, *confidence.beyond)
        return replace(confidence, error=None, low=None, high=None, beyond=beyond, boards=None)

    def _reasons(self, device_op: DeviceOp, elapsed_ns: float) -> Iterator[str]:
        if _GRID in self.chip.measured_figures and not device_op.grid.fits(
            Grid(*with_measured_figures(self.chip, (_GRID,)).grid)
        ):
            yield spell_change(self.chip, _GRID)
            return
        found = self._needed(device_op, elapsed_ns, self._changes) if elapsed_ns else ()
        yield from (spell_change(self.chip, change[0]) for change in found[:_NAMED])
        if len(found) > _NAMED:
            yield f"{len(found) - _NAMED} more figures of the device were not measured"

    @cached_property
    def _changes(self) -> tuple[_Change, ...]:
        """Return the priced figures that differ from the measured ones.

        Core and channel counts with their dependent figures.
        """
        paths = [path for path in self.chip.measured_figures if unpriced_reason(path) is None]
        shape = tuple(p for p in paths if p == _CHANNELS or isinstance(self.chip.measured_figures[p], tuple))
        return (*((shape,) if shape else ()), *((path,) for path in paths if path not in shape))

    def _needed(self, device_op: DeviceOp, elapsed_ns: float, changes: tuple[_Change, ...]) -> tuple[_Change, ...]:
        """Return the changes that the time depends on; all of them if no single one affects it."""
        paths = tuple(path for change in changes for path in change)
        if not paths or abs(predict_calls(device_op, *self._measured(paths)).elapsed_ns / elapsed_ns - 1) < SAME:
            return ()
        if len(changes) == 1:
            return changes
        half = len(changes) // 2
        parts = (self._needed(device_op, elapsed_ns, part) for part in (changes[:half], changes[half:]))
        return tuple(change for part in parts for change in part) or changes

    def _measured(self, paths: tuple[str, ...]) -> tuple[ChipDesc, SystemDesc]:
        """Return the device with its measured figures at some paths."""
        if paths not in self._devices:
            chips = tuple(with_measured_figures(chip, paths) for chip in self.system.chips)
            system = self.system.model_copy(update={"chips": chips})
            self._devices[paths] = with_measured_figures(self.chip, paths), system
        return self._devices[paths]
