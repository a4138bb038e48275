"""What has been tried at a commit, in `build/mutants`, from where a run that was stopped goes on."""

import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path

from benchmarks.mutants.changes import Mutant
from benchmarks.mutants.equivalent import EQUIVALENT
from benchmarks.replay.revisions import ROOT


class Record:
    """A file with a line for each mutant that is decided."""

    def __init__(self, commit: str) -> None:
        self.path = ROOT / "build" / "mutants" / f"{commit}.jsonl"
        self.path.parent.mkdir(parents=True, exist_ok=True)
        lines = self.path.read_text().splitlines() if self.path.exists() else []
        self.rows = {row["key"]: row for row in map(json.loads, lines)}

    def add(self, mutant: Mutant, by: str) -> None:
        """Keep what caught a mutant, or that nothing did, in memory and on disk."""
        row = asdict(mutant) | {"key": mutant.key, "survived": not by, "by": by}
        self.rows[mutant.key] = row
        with self.path.open("a") as file:
            file.write(json.dumps(row) + "\n")

    @property
    def survivors(self) -> list[Mutant]:
        """What nothing caught."""
        return [_mutant(row) for row in self.rows.values() if row["survived"]]


def report(rows: Iterable[dict[str, object]], packages: Iterable[str]) -> str:
    """Survivors, and the share of mutants caught in each package; equivalent ones count as neither."""
    rows = list(rows)
    survivors = [row for row in rows if row["survived"]]
    same = [row for row in survivors if (row["path"], row["before"], row["after"]) in EQUIVALENT]
    lines = [str(_mutant(row)) for row in survivors if row not in same]
    tried = Counter(_package(row, packages) for row in rows if row not in same)
    left = Counter(_package(row, packages) for row in survivors if row not in same)
    lines += [f"{package:26} {tried[package] - left[package]:4} of {tried[package]:4} caught" for package in tried]
    total, survived = tried.total(), left.total()
    lines.append(f"{total} tried, {survived} survived ({survived / max(1, total):.1%}), {len(same)} equivalent")
    return "\n".join(lines)


def _package(row: dict[str, object], packages: Iterable[str]) -> str:
    return next(p for p in packages if Path(str(row["path"])).is_relative_to(p))


def _mutant(row: dict[str, object]) -> Mutant:
    return Mutant(**{name: row[name] for name in Mutant.__dataclass_fields__})  # pyright: ignore[reportArgumentType]
