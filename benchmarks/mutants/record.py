"""What has been tried at a commit, in `build/mutants/COMMIT`, from where a run that was stopped goes on."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

from benchmarks.mutants.changes import Mutant
from benchmarks.mutants.equivalent import EQUIVALENT
from benchmarks.replay.revisions import ROOT


class Record:
    """The folder of a commit: the mutants that were drawn, what tests reach, and what caught each mutant."""

    def __init__(self, commit: str) -> None:
        self.folder = ROOT / "build" / "mutants" / commit
        self.folder.mkdir(parents=True, exist_ok=True)

    def draw(self, mutants: Iterable[Mutant]) -> None:
        """Keep what these are."""
        known = {m.key for m in self.drawn()}
        for mutant in mutants:
            if mutant.key not in known:
                _add(self.folder / "drawn.jsonl", asdict(mutant))

    def drawn(self) -> list[Mutant]:
        """All that were ever drawn at the commit."""
        return [Mutant(**row) for row in _rows(self.folder / "drawn.jsonl")]

    def decide(self, mutant: Mutant, by: str) -> None:
        """Keep which test caught a mutant, or that none did."""
        _add(self.folder / "results.jsonl", {"key": mutant.key, "by": by})

    def caught_by(self) -> dict[str, str]:
        """The test that caught it, empty where none did, of each mutant that is decided."""
        return {row["key"]: row["by"] for row in _rows(self.folder / "results.jsonl")}

    def noted(self) -> list[dict[str, Any]]:
        """The tests that pass without any mutant, with the seconds that they took, the quick ones first."""
        rows = (row for row in _rows(self.folder / "notes.jsonl") if row["passed"])
        return sorted(rows, key=lambda row: row["seconds"])

    def survivors(self) -> list[Mutant]:
        """What no test caught."""
        by = self.caught_by()
        return [m for m in self.drawn() if by.get(m.key) == ""]

    def report(self, drawn: Iterable[Mutant], packages: Iterable[str]) -> str:
        """Survivors, and the share of mutants caught in each package; equivalent ones count as neither."""
        by = self.caught_by()
        same = [m for m in drawn if by[m.key] == "" and (m.path, m.before, m.after) in EQUIVALENT]
        tried = [m for m in drawn if m not in same]
        left = [m for m in tried if by[m.key] == ""]
        lines = [str(m) for m in left]
        inside, survived = _by_package(tried, packages), _by_package(left, packages)
        lines += [f"{package:26} {inside[package] - survived[package]:4} of {inside[package]:4}" for package in inside]
        share = len(left) / max(1, len(tried))
        return "\n".join([*lines, f"{len(tried)} tried, {len(left)} survived ({share:.1%}), {len(same)} equivalent"])


def _by_package(mutants: Iterable[Mutant], packages: Iterable[str]) -> Counter[str]:
    packages = list(packages)
    return Counter(next(p for p in packages if Path(m.path).is_relative_to(p)) for m in mutants)


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    return map(json.loads, path.read_text().splitlines() if path.exists() else ())


def _add(path: Path, row: dict[str, object]) -> None:
    with path.open("a") as file:
        file.write(json.dumps(row) + "\n")
