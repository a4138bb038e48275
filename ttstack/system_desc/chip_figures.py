"""Figures of a chip by dotted path: read, replaced, and spelled as presets spell them."""

from collections.abc import Sequence
from typing import Any, cast

from ttstack.system_desc import ChipDesc
from ttstack.system_desc.quantities import BYTES_PER_SECOND
from ttstack.system_desc.shares import RATES


def read(chip: ChipDesc, path: str) -> float:
    """The figure at a dotted path."""
    value: Any = chip
    for name in path.split("."):
        value = cast(Any, value)[name] if isinstance(value, dict) else getattr(value, name)
    return float(value)


def with_figures(chip: ChipDesc, paths: Sequence[str], values: Sequence[float]) -> ChipDesc:
    """The chip with other figures at some paths."""
    for name, value in zip(paths, values, strict=True):
        chip = _replace(chip, name.split("."), float(value))
    return chip


def spell_figure(chip: ChipDesc, path: str) -> str:
    """The figure as presets spell it, to four digits: a share as the rate that was fitted over its peak."""
    whole = _peak(chip, path)
    return f"{read(chip, path):.4g}" if whole is None else f"{read(chip, path) * whole:.4g}/{whole:g}"


def _peak(chip: ChipDesc, path: str) -> float | None:
    """What the figure is a share of, in GB/s or bytes a cycle; None of one that is no share."""
    rate = next((rate for rate in RATES if rate.share == path), None)
    if rate is None:
        return None
    return read(chip, rate.peak) / (1e9 if rate.dimension is BYTES_PER_SECOND else 1)


def _replace(part: Any, path: Sequence[str], value: float) -> Any:
    name, *rest = path
    if isinstance(part, dict):
        figures = cast(dict[str, float], part)
        return type(figures)({**figures, name: value})
    new = _replace(getattr(part, name), rest, value) if rest else value
    return part.model_copy(update={name: new})
