"""The clock that falls when the multipliers are busy for long."""

from ttstack.system_desc import ChipDesc


def throttle_ns(products_ns: float, cores: int, chip: ChipDesc) -> float:
    """Nanoseconds lost to the lower clock by a kernel that keeps the multipliers of `cores` busy for `products_ns`."""
    return products_ns * cores / chip.num_cores * (1 / chip.clock.sustained_fraction - 1)
