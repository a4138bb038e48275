"""Chips and systems as another release of `ttnn` runs them, and which figures differ there."""

from collections.abc import Iterator
from functools import lru_cache
from typing import Any, NamedTuple

from pydantic import ValidationError

from ttstack.diagnostics import SystemDescError
from ttstack.support.validation import validation_faults
from ttstack.system_desc.chip import ChipDesc
from ttstack.system_desc.fields import figure_at
from ttstack.system_desc.releases import order
from ttstack.system_desc.revisions import by_figure, own_span, revise
from ttstack.system_desc.system import SystemDesc

_AS_THEY_ARE = ("calibration", "source_errors")
"""Sections without a figure of a kernel, which are large."""


class FigureChange(NamedTuple):
    """A figure that two releases have differently."""

    figure: str
    """Dotted path in the chip."""
    before: Any
    after: Any
    since: str
    """The first release that is known to have the figure of the newer one."""
    source: str
    """Source of the older release's value."""


def at_release(desc: SystemDesc, ttnn: str) -> SystemDesc:
    """Return the system with the figures that its chips have in a release of `ttnn`.

    Raises:
        SystemDescError: `ttnn` is not a version, or a figure of that release is not one that the chip can have.
    """
    return desc.model_copy(update={"chips": tuple(chip_at_release(chip, ttnn) for chip in desc.chips)})


def chip_at_release(chip: ChipDesc, ttnn: str) -> ChipDesc:
    """Return a chip with its figures in a release of `ttnn`; raise the errors of `at_release`."""
    try:
        return chip if order(ttnn) == order(chip.ttnn) else _revised((chip,), ttnn)
    except ValidationError as error:
        faults = tuple(": ".join(filter(None, fault)) for fault in validation_faults(error, "unknown field"))
        raise SystemDescError(f"the figures of ttnn {ttnn} do not fit the chip", notes=faults) from error
    except ValueError as error:
        raise SystemDescError(str(error)) from error


@lru_cache(64)
def _revised(of: tuple[ChipDesc], ttnn: str) -> ChipDesc:
    (chip,) = of
    revised = ChipDesc.model_validate(revise(chip.model_dump(exclude=set(_AS_THEY_ARE)), ttnn))
    return revised.model_copy(update={name: getattr(chip, name) for name in _AS_THEY_ARE})


def figure_changes(before: ChipDesc, after: ChipDesc) -> Iterator[FigureChange]:
    """Yield the figures of a chip that differ between two releases of `ttnn`, in the order of its revisions."""
    older, newer = sorted((before, after), key=lambda chip: order(chip.ttnn))
    rows = by_figure(newer.revisions)
    for figure, of in rows.items():
        had, has = (figure_at(chip, figure) for chip in (before, after))
        if had != has:
            since = own_span(newer.ttnn, of).since or newer.ttnn
            yield FigureChange(figure, had, has, since, older.source_of(figure) or "")
