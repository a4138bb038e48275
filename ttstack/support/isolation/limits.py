"""How much time and memory isolated work may take: by the size of what is read, or as the environment says."""

import os
from dataclasses import dataclass
from typing import Final

from ttstack.diagnostics import SourceError

ISOLATE: Final = "TTSTACK_ISOLATE"
"""Whether files are read in a child process: 0 is for debuggers, which do not follow one."""
SECONDS: Final = "TTSTACK_READ_SECONDS"
"""Processor time that reading a model may take."""
MEMORY: Final = "TTSTACK_READ_MEMORY"
"""Memory in GiB that reading a model may take."""

GIB: Final = 1 << 30
_SECONDS, _SECONDS_PER_MIB = 15.0, 4.0
_BYTES, _BYTES_PER_BYTE = 2 * GIB, 16


@dataclass(frozen=True)
class Limits:
    """What isolated work may take."""

    seconds: float
    """Processor time."""
    nbytes: int
    """Memory beside what the process has already; files that are mapped do not count."""

    @property
    def clock_seconds(self) -> float:
        """What may pass on the clock, where the machine does other work too: a third more than processor time."""
        return self.seconds * 4 / 3


def isolates() -> bool:
    """Whether work is isolated: always, unless the environment says otherwise."""
    return os.environ.get(ISOLATE) != "0"


def limits_for(nbytes: int) -> Limits:
    """The limits for a model of that many bytes: 15 s of processor time and 2 GiB, and 4 s a MiB and 16 times its size.

    Raises:
        SourceError: the environment names a limit that is no number above 0.
    """
    seconds = _given(SECONDS) or _SECONDS + _SECONDS_PER_MIB * nbytes / (1 << 20)
    gib = _given(MEMORY)
    return Limits(seconds, int(gib * GIB) if gib else _BYTES + _BYTES_PER_BYTE * nbytes)


def _given(variable: str) -> float | None:
    text = os.environ.get(variable)
    if not text:
        return None
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not 0 < number < 1e6:
        raise SourceError(f"{variable} is '{text}'", hint="give a number above 0, or leave it unset")
    return number
