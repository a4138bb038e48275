"""The clock that falls when the math units are busy for long."""

from ttstack.system_desc import ChipDesc


def throttle_ns(math_ns: float, chip: ChipDesc) -> float:
    """Nanoseconds that a kernel loses which computes for `math_ns` at the nominal clock."""
    clock = chip.clock
    return max(0.0, math_ns - clock.throttle_onset_ns) * (1 / clock.sustained_fraction - 1)
