"""Releases of `ttnn`: how they are written, their order, and which one had the kernels of a day."""

import re
from typing import Annotated, NamedTuple

from pydantic import BeforeValidator

_FORM = re.compile(r"(\d{1,3})\.(\d{1,3})(?:\.(\d{1,3}))?", re.ASCII)


class Dated(NamedTuple):
    """A release and the last day on which its code is known to have changed."""

    version: str
    day: str
    """ISO date, or as much of one as the source states."""
    source: str


_README = "README of ttnn on PyPI and of tt-metal, Latest Releases"
_PYPI = "ttnn on PyPI, release feed"
RELEASES = (
    Dated("0.51", "2024-08-27", "tt-metal PR 11946, which starts 0.52"),
    Dated("0.52", "2024-09-26", "tt-metal PR 13165, which starts 0.53"),
    Dated("0.54", "2025-01-14", "tt-metal PR 16714, which starts 0.55"),
    Dated("0.56", "2025-03-07", _README),
    Dated("0.57", "2025-04-15", _README),
    Dated("0.58", "2025-05-13", _README),
    Dated("0.59", "2025-06-18", _README),
    Dated("0.60", "2025-07-22", _README),
    Dated("0.61", "2025-08-13", _README),
    Dated("0.62", "2025-09-16", "development build 0.62.0.dev20250916"),
    Dated("0.63", "2025-09-30", "python-ttnn 0.63.0-2 of the Arch user repository"),
    Dated("0.64", "2025-10-29", "tt-metal PR 31408"),
    Dated("0.65", "2025-12-05", "development build 0.65.0.dev20251205"),
    Dated("0.66", "2026-01-23", "tag v0.66.0-dev20260123 of tt-metal"),
    Dated("0.67", "2026-02-03", "tag v0.67.0-dev20260203 of tt-metal"),
    Dated("0.69", "2026-05-05", _PYPI),
    Dated("0.70", "2026-05-15", _PYPI),
    Dated("0.75", "2026-07-15", "tag v0.75.0-dev20260715 of tt-metal"),
    Dated("0.76", "2026-07-22", "tag v0.76.0-dev20260722 of tt-metal"),
    Dated("0.77", "2026-08-18", "release page of tt-metal v0.77.0"),
    Dated("0.78", "2026-08-28", "tag v0.78.0-dev20260828 of tt-metal"),
    Dated("0.81", "2026-10", "ttnn 0.81.1 on PyPI"),
)
"""Releases with published dates, in order; the others are between them."""

OLDEST, NEWEST = RELEASES[0].version, RELEASES[-1].version
"""The releases with measurements."""


def _read(value: object) -> str:
    """Return a version as text; raise `ValueError` for invalid ones."""
    if isinstance(value, float):
        text = repr(value)
        if len(text.partition(".")[2]) < 2:
            raise ValueError(f"{text} may be {text} or {text}0: write the version of ttnn in quotes")
    elif isinstance(value, str):
        text = value
    else:
        raise ValueError(f"{value!r} is not a version of ttnn: write it as '{NEWEST}'")
    if _FORM.fullmatch(text) is None:
        raise ValueError(f"'{text[:40]}' is not a version of ttnn: write it as {NEWEST} or {NEWEST}.1")
    return text


Release = Annotated[str, BeforeValidator(_read)]
"""A version of `ttnn`, as `0.81` or `0.81.1`."""


def is_release(value: object) -> bool:
    """Return True if a value of a file is a version of `ttnn`."""
    try:
        return bool(_read(value))
    except ValueError:
        return False


def order(version: str) -> tuple[int, int, int]:
    """Return the sort key of a version: major, minor and patch.

    Raises:
        ValueError: The text is not a version.
    """
    found = _FORM.fullmatch(_read(version))
    assert found, version
    return int(found[1]), int(found[2]), int(found[3] or 0)


def release_of(day: str) -> str:
    """Return the release that has the kernels of a day: the first that is known to have changed on it or later.

    Args:
        day: An ISO date, or its year or year and month alone; the newest release where empty.
    """
    return next((release.version for release in RELEASES if release.day >= day), NEWEST) if day else NEWEST


def extrapolation(version: str) -> str:
    """Return why a version is outside of the measured releases; empty if it is not."""
    if order(version) < order(OLDEST):
        return f"older than {OLDEST}, the oldest release with a measurement"
    if order(version)[:2] > order(NEWEST)[:2]:
        return f"newer than {NEWEST}, the newest release that is known"
    return ""
