"""What became of one program or configuration."""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

FINDINGS = ("refused", "differs", "failed", "ours alone", "theirs alone")
"""Results that are faults of ours: an op refused, or with other results there; a crash; a verdict of one side."""


_PEAK = 0.02


@dataclass(frozen=True)
class Outcome:
    """One input of a campaign, by its key."""

    key: str
    kind: str
    result: str
    detail: str = ""
    ops: int = 0
    commit: str = ""
    same_buffers: int = 0
    """Ops whose circular buffers take as many bytes there as here."""
    other_buffers: dict[str, int] = field(default_factory=dict[str, int])
    """How many ops of each name take others."""
    factories: int = 0
    """Ops whose device operation has several program factories, of which we say one."""
    same_factories: int = 0
    """Those of them that have it there."""
    l1_here: int = 0
    """The most bytes of a core's L1 that are in use at once."""
    l1_there: int = 0

    @property
    def same_peak(self) -> bool:
        """Whether the most bytes of L1 are the library's, up to 2 %."""
        return abs(self.l1_here - self.l1_there) <= _PEAK * self.l1_there

    @property
    def finding(self) -> bool:
        """Whether it is to be mended."""
        return self.result in FINDINGS


def numbered(most: int) -> Callable[[int | None], list[str]]:
    """Keys that are numbers: as many as are asked for, else `most`."""
    return lambda count: [str(number) for number in range(count or most)]


def stored(path: Path) -> dict[str, Outcome]:
    """The outcomes in a file, by key; the last one counts."""
    lines = path.read_text().splitlines() if path.exists() else []
    return {o.key: o for o in (Outcome(**json.loads(line)) for line in lines)}
