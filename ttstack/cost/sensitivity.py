"""Sensitivity of an op: the share of its time that a faster resource saves."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from ttstack.cost.prediction import predict_calls
from ttstack.device.device_op import DeviceOp
from ttstack.system_desc import ChipDesc, SystemDesc
from ttstack.system_desc.resources import Resource, accelerate

FASTER = 1.1
"""Speedup of a resource for which its effect on a time is computed: 10 % more."""
MOST_SAVED = 1 - 1 / FASTER
"""Share of a time that is saved if all of it is spent on such a resource."""
UNBOUND = "none"
"""Bound of an op without a kernel time."""
_LEAST = 1e-9
"""Shares of a time below which it is the same."""


@dataclass(frozen=True)
class Sensitivity:
    """Prices on devices on which one resource is `factor` times as fast, and everything else is the same."""

    chip: ChipDesc
    system: SystemDesc
    factor: float = FASTER

    def of(self, device_op: DeviceOp, elapsed_ns: float) -> dict[str, float]:
        """Return the share of an op's time that each resource saves, largest first, without those that save nothing.

        The op is priced again with each resource, by the cost model, as `--what-if` does it: the placement stays.

        Args:
            device_op: The op.
            elapsed_ns: Its time on the device as it is, all calls and gaps included.
        """
        if not elapsed_ns:
            return {}
        times = {r.value: predict_calls(device_op, *device).elapsed_ns for r, device in self._devices.items()}
        saved = {name: 1 - ns / elapsed_ns for name, ns in times.items()}
        return dict(sorted(((name, s) for name, s in saved.items() if s > _LEAST), key=lambda item: -item[1]))

    @cached_property
    def _devices(self) -> dict[Resource, tuple[ChipDesc, SystemDesc]]:
        return {resource: accelerate_device(self.chip, self.system, resource, self.factor) for resource in Resource}


def accelerate_device(
    chip: ChipDesc, system: SystemDesc, resource: Resource, factor: float
) -> tuple[ChipDesc, SystemDesc]:
    """Return a chip and its system with one resource of every chip `factor` times as fast."""
    chips = tuple(accelerate(other, resource, factor) for other in system.chips)
    return accelerate(chip, resource, factor), system.model_copy(update={"chips": chips})


def bound(saved: Mapping[str, float]) -> str:
    """Return the resource that saves the most of an op's time."""
    return next(iter(saved), UNBOUND)
