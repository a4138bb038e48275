"""Figures of a chip by dotted path: read, replaced, and spelled as presets spell them."""

from collections.abc import Iterable, Sequence
from typing import Any, cast

from ttstack.system_desc import ChipDesc
from ttstack.system_desc.base import replace_figure
from ttstack.system_desc.quantities import BYTES_PER_SECOND
from ttstack.system_desc.shares import RATES


def read(chip: ChipDesc, path: str) -> float:
    """Return the figure at a dotted path."""
    value: Any = chip
    for name in path.split("."):
        value = cast(Any, value)[name] if isinstance(value, dict) else getattr(value, name)
    return float(value)


def with_figures(chip: ChipDesc, paths: Sequence[str], values: Sequence[float]) -> ChipDesc:
    """Return the chip with other figures at some paths."""
    for name, value in zip(paths, values, strict=True):
        chip = replace_figure(chip, name.split("."), float(value))
    return chip


def with_measured_figures(chip: ChipDesc, paths: Iterable[str]) -> ChipDesc:
    """Return the chip with measured values for the changed figures among these paths."""
    for path in paths:
        if path in chip.measured_figures:
            chip = replace_figure(chip, path.split("."), chip.measured_figures[path])
    return chip


def spell_figure(chip: ChipDesc, path: str) -> str:
    """Return the figure as presets spell it, to four digits: a share as the rate that was fitted over its peak."""
    whole = _peak(chip, path)
    return f"{read(chip, path):.4g}" if whole is None else f"{read(chip, path) * whole:.4g}/{whole:g}"


def _peak(chip: ChipDesc, path: str) -> float | None:
    """Return the peak of a fraction, in GB/s or bytes per cycle; None if the figure is not a fraction."""
    rate = next((rate for rate in RATES if rate.share == path), None)
    if rate is None:
        return None
    return read(chip, rate.peak) / (1e9 if rate.dimension is BYTES_PER_SECOND else 1)
