"""The name that a user may have meant: one place for every error that names one."""

from collections.abc import Iterable
from difflib import get_close_matches
from pathlib import Path

_SHORT = 12
"""Letters below which a name is short: of those, one letter or two may be wrong."""
_CUTOFF, _LONG_CUTOFF = 0.79, 0.65
"""What two names share of their letters at least: `cores` does not mean `cos`, and `simplfy` means `simplify`."""
_PART = 4
"""Letters from which on a part of a name means it, `blackhole` `blackhole_p150`, or one wrong letter, `fuze` `fuse`."""


def closest(name: str, known: Iterable[str]) -> str | None:
    """The known name that is close to one; None where none is."""
    names = sorted(known)
    lowered = {other.lower(): other for other in reversed(names)}
    cutoff = _CUTOFF if len(name) < _SHORT else _LONG_CUTOFF
    for wanted, spelled in ((name, dict(zip(names, names, strict=True))), (name.lower(), lowered)):
        if alike := get_close_matches(wanted, spelled, 1, cutoff) or _one_letter_off(wanted, spelled):
            return spelled[alike[0]]
    parts = [other for other in lowered if _is_part(name.lower(), other) or _is_part(other, name.lower())]
    return lowered[min(parts, key=lambda other: (abs(len(other) - len(name)), other))] if parts else None


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """`did you mean 'matmul'?`; empty where no known name is close."""
    found = closest(name, known)
    return f"did you mean '{found}'?" if found else ""


def file_meant(path: Path) -> str:
    """`did you mean 'model.ttb'?`, of the files beside one that is not there; empty where none is close."""
    try:
        beside = [other.name for other in path.parent.iterdir()]
    except OSError:
        return ""
    return "" if path.name in beside else did_you_mean(path.name, beside)


def _one_letter_off(name: str, known: Iterable[str]) -> list[str]:
    """Known names of as many letters that differ in one."""
    alike = (other for other in known if len(other) == len(name) >= _PART)
    return [other for other in alike if sum(map(str.__ne__, name, other)) == 1]


def _is_part(short: str, long: str) -> bool:
    return len(short) >= _PART and short in long
