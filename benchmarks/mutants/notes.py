"""What the tests reached: notes of the plugin in `site`, and the tests that may catch a mutant."""

import json
import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from benchmarks.mutants.changes import Mutant

SECONDS = 90.0
"""Processor time, as noted, of the tests that are asked in the second stage."""


class Notes:
    """The rows of one file of notes."""

    def __init__(self, path: Path) -> None:
        rows = [json.loads(line) for line in path.read_text().splitlines()]
        self.tests = [row for row in rows if row.get("passed")]
        self.at_import = {key for row in rows for key in row.get("at_import", ())}

    def killers(self) -> dict[str, str]:
        """Which test failed, by key of the mutant."""
        return {key: row["test"] for row in self.tests for key in row["killed"]}

    def tests_for(self, mutant: Mutant, suite: Sequence[str], tree: Path) -> tuple[list[str], float]:
        """Tests that reached the place of a mutant, and the seconds that they took.

        What is computed when modules are imported is reached by none or by all: then it is the package's tests, those
        first that name the module.
        """
        reached = [row for row in self.tests if mutant.key in row["reached"]]
        if not reached or mutant.key in self.at_import:
            reached = [row for row in self.tests if row["test"].startswith(tuple(suite))]
        return _by_file(reached, _naming(mutant, {_file(row) for row in reached}, tree))


def _by_file(rows: Iterable[dict[str, object]], named: set[str]) -> tuple[list[str], float]:
    """Quick tests, file by file: tests of a file share what they compile."""
    chosen: list[dict[str, object]] = []
    spent = 0.0
    for row in sorted(rows, key=lambda row: (_file(row) not in named, _seconds(row))):
        if spent < SECONDS:
            chosen.append(row)
            spent += _seconds(row)
    files = {file: place for place, file in reversed(list(enumerate(map(_file, chosen))))}
    return [str(row["test"]) for row in sorted(chosen, key=lambda row: files[_file(row)])], spent


def _seconds(row: dict[str, object]) -> float:
    return float(str(row["seconds"]))


def _file(row: dict[str, object]) -> str:
    return str(row["test"]).split("::")[0]


def _naming(mutant: Mutant, files: Iterable[str], tree: Path) -> set[str]:
    """The files whose imports name the module."""
    module = Path(mutant.path).with_suffix("")
    name = re.compile(rf"import .*\b{module.stem}\b|{re.escape(module.parent.name)}\.{module.stem} import")
    return {file for file in files if name.search((tree / file).read_text())}
