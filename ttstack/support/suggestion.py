"""Suggestions of names for errors."""

from collections.abc import Iterable
from difflib import get_close_matches
from pathlib import Path

_SHORT = 12
"""Length below which a name is short, and may have one or two wrong letters."""
_CUTOFF, _LONG_CUTOFF = 0.79, 0.65
"""Minimum similarity of short and of long names: `cores` does not suggest `cos`, and `simplfy` suggests `simplify`."""
_PART = 4
"""Minimum length for a part, `blackhole` for `blackhole_p150`, or one wrong letter, `fuze` for `fuse`, to match."""


def closest(name: str, known: Iterable[str]) -> str | None:
    """Return the known name that is closest to a name; None if none is close."""
    names = sorted(known)
    lowered = {other.lower(): other for other in reversed(names)}
    cutoff = _CUTOFF if len(name) < _SHORT else _LONG_CUTOFF
    for wanted, spelled in ((name, dict(zip(names, names, strict=True))), (name.lower(), lowered)):
        if alike := get_close_matches(wanted, spelled, 1, cutoff) or _one_letter_off(wanted, spelled):
            return spelled[alike[0]]
    parts = [other for other in lowered if _is_part(name.lower(), other) or _is_part(other, name.lower())]
    return lowered[min(parts, key=lambda other: (abs(len(other) - len(name)), other))] if parts else None


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return `did you mean 'matmul'?`; empty if no known name is close."""
    found = closest(name, known)
    return f"did you mean '{found}'?" if found else ""


def file_meant(path: Path) -> str:
    """Return `did you mean 'model.ttb'?` for a missing file, by the files next to it; empty if none is close."""
    try:
        beside = [other.name for other in path.parent.iterdir()]
    except OSError:
        return ""
    return "" if path.name in beside else did_you_mean(path.name, beside)


def _one_letter_off(name: str, known: Iterable[str]) -> list[str]:
    """Return known names of equal length that differ in one letter."""
    alike = (other for other in known if len(other) == len(name) >= _PART)
    return [other for other in alike if sum(map(str.__ne__, name, other)) == 1]


def _is_part(short: str, long: str) -> bool:
    return len(short) >= _PART and short in long
