"""The clock that falls when the multipliers are busy for long."""

from ttstack.system_desc import ChipDesc


def throttle_ns(products_ns: float, chip: ChipDesc) -> float:
    """Nanoseconds lost to the lower clock by a kernel whose multipliers are busy for `products_ns`."""
    clock = chip.clock
    return max(0.0, products_ns - clock.throttle_onset_ns) * (1 / clock.sustained_fraction - 1)
