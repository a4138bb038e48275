"""What became of one program or configuration."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

FINDINGS = ("refused", "differs", "failed", "ours alone", "theirs alone")
"""Results that are faults of ours: an op refused, or with other results there; a crash; a verdict of one side."""


@dataclass(frozen=True)
class Outcome:
    """One input of a campaign, by its key."""

    key: str
    kind: str
    result: str
    detail: str = ""
    ops: int = 0
    commit: str = ""

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
