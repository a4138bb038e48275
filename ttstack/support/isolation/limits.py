"""Limits of time and memory of isolated work: by the size of the input, or from the environment."""

import os
from dataclasses import dataclass
from typing import Final

from ttstack.diagnostics import SourceError
from ttstack.support import environment

ISOLATE: Final = environment.ISOLATE.name
"""Whether files are read in a child process; 0 is for debuggers, which do not follow one."""
SECONDS: Final = environment.READ_SECONDS.name
"""Maximum CPU seconds for reading a model."""
MEMORY: Final = environment.READ_MEMORY.name
"""Maximum memory in GiB for reading a model."""

GIB: Final = 1 << 30
_SECONDS, _SECONDS_PER_MIB = 15.0, 4.0
_BYTES, _BYTES_PER_BYTE = 2 * GIB, 16


@dataclass(frozen=True)
class Limits:
    """Limits of isolated work."""

    seconds: float
    """CPU seconds."""
    nbytes: int
    """Memory in addition to the process's own; mapped files do not count."""

    @property
    def clock_seconds(self) -> float:
        """The wall-clock limit, a third more than the CPU time, for a machine with other work."""
        return self.seconds * 4 / 3


def isolates() -> bool:
    """Return True unless the environment disables isolation."""
    return os.environ.get(ISOLATE) != "0"


def limits_for(nbytes: int) -> Limits:
    """Return the limits for a model of that size: 15 s CPU and 2 GiB, plus 4 s per MiB and 16 times its size.

    Raises:
        SourceError: the environment has a limit that is not a number above 0.
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
