"""Figures in which a chip differs from the one that was measured: calibration says nothing of them."""

from collections.abc import Iterator
from typing import Any, cast

from ttstack.system_desc.chip import ChipDesc
from ttstack.system_desc.fields import dimension_at, figure_at
from ttstack.system_desc.plausible import spell_quantity
from ttstack.system_desc.sources import figures

FITTED = "FIT"
"""Prefix of citations of parameters that were fitted to measurements."""
_AXES = 2
_JUDGING = ("calibration.", "source_errors.")


def record_changes(chip: ChipDesc, measured: ChipDesc) -> ChipDesc:
    """Return the chip with `measured_figures`: the figures of the measured chip that differ from its own.

    What was measured of a chip that is itself a change of another one is what was measured of that. Figures that the
    chip cites as fitted to other measurements do not count.
    """
    known = {**dict(_differences(chip, measured)), **measured.measured_figures, **chip.measured_figures}
    left = {path: value for path, value in known.items() if figure_at(chip, path) != value}
    return chip.model_copy(update={"measured_figures": type(chip.measured_figures)(left)})


def spell_change(chip: ChipDesc, path: str) -> str:
    """Describe a changed parameter: `clock.nominal_hz is 3 GHz, 1 GHz was measured`."""
    now, was = (_spell(path, value) for value in (figure_at(chip, path), chip.measured_figures[path]))
    return f"{path} is {now}, {was} was measured"


def _spell(path: str, value: Any) -> str:
    if isinstance(value, int | float):
        dimension = dimension_at(path)
        return f"{value:g}" if dimension is None else spell_quantity(value, dimension)
    items = cast(tuple[Any, ...], value)
    return "another list" if len(items) != _AXES or isinstance(items[0], tuple) else "x".join(map(str, items))


def _differences(chip: ChipDesc, measured: ChipDesc) -> Iterator[tuple[str, Any]]:
    for path in figures(chip):
        was = None if path.startswith(_JUDGING) else figure_at(measured, path)
        if was is not None and was != figure_at(chip, path) and not _is_fitted(chip, measured, path):
            yield path, was


def _is_fitted(chip: ChipDesc, measured: ChipDesc, path: str) -> bool:
    """Return True if the chip cites its own fit for the figure."""
    source = chip.source_of(path) or ""
    return source.startswith(FITTED) and source != measured.source_of(path)
