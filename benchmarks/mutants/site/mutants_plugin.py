"""Runs mutants in children of one process that has imported and collected all tests, as a plugin of pytest.

First one child runs the tests without any mutant and notes which each test reaches. Then each mutant has a child of its
own, which runs the tests that reach it until one fails. Nothing that a child caches is seen by the next.
"""

import json
import os
import resource
import signal
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
import sitecustomize as switches
from _pytest.runner import runtestprotocol

FUNCTION_SECONDS = 2.0
"""Processor time for the cases of one test function while it is noted what tests reach."""
MUTANT_SECONDS = 60.0
"""Processor time, as noted, of the tests that a mutant is tried on."""


def pytest_configure(config: pytest.Config) -> None:
    """Called by pytest."""
    config.pluginmanager.register(Mutants(Path(os.environ["MUTANTS"])))


class Mutants:
    """The two stages, with their results in files of a folder."""

    def __init__(self, folder: Path) -> None:
        self.notes, self.results = folder / "notes.jsonl", folder / "results.jsonl"
        self.noting = folder / "noting"
        self.elsewhere = Path(os.environ["MUTANTS_REACHED"])
        self.elsewhere.touch()

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Called by pytest instead of running the tests one after the other."""
        at_import = set(switches.reached) | set(self.elsewhere.read_text().split())
        while _in_child(lambda: self._note_all(session.items)):
            # What ends the process of the tests is not a test for mutants; the next child goes on behind it.
            ended = {"test": self.noting.read_text(), "passed": False, "seconds": 0.0, "reached": []}
            if ended in _rows(self.notes):
                raise RuntimeError(f"noting what tests reach ended twice at {ended['test']!r}")
            _add(self.notes, ended)
        items = {item.nodeid: item for item in session.items}
        fit = [row for row in _rows(self.notes) if row["passed"] and row["test"] in items]
        decided = {row["key"] for row in _rows(self.results)}
        for key in os.environ["MUTANTS_KEYS"].split():
            rows = [row for row in fit if key in row["reached"]]
            if key not in at_import | decided and rows:
                self._try(key, _chosen(rows) + _beside(rows, fit), items)
        return True

    def _note_all(self, items: Sequence[pytest.Item]) -> None:
        """What each test reaches, of what is not imported already."""
        switches.home = os.getpid()
        spent: dict[str, float] = defaultdict(float)
        known = {row["test"]: row["seconds"] for row in _rows(self.notes)}
        for test, seconds in known.items():
            spent[test.split("[")[0]] += seconds
        kept = [item for item in items if item.nodeid not in known]
        for item, following in _pairs(kept):
            function = item.nodeid.split("[")[0]
            if spent[function] > FUNCTION_SECONDS:
                item.session._setupstate.teardown_exact(following)
                continue
            switches.reached.clear()
            self.elsewhere.write_text("")
            self.noting.write_text(item.nodeid)
            start = time.process_time()
            passed = _passes(item, following)
            seconds = time.process_time() - start
            spent[function] += seconds
            reached = sorted(switches.reached | set(self.elsewhere.read_text().split()))
            _add(self.notes, {"test": item.nodeid, "passed": passed, "seconds": round(seconds, 3), "reached": reached})

    def _try(self, key: str, rows: Sequence[dict[str, Any]], items: dict[str, pytest.Item]) -> None:
        answer = self.results.with_suffix(".answer")
        answer.write_text("")
        seconds = sum(row["seconds"] for row in rows)
        start = time.time()
        code = _in_child(lambda: _run(key, [items[row["test"]] for row in rows], answer), 3 * seconds + 30)
        late, failed = code in (-signal.SIGXCPU, -signal.SIGALRM), answer.read_text()
        if code > 0 and not failed:
            raise RuntimeError(f"the child that tried {key} failed, and no test did")
        by = "time" if late else failed or (f"exit {code}" if code else "")
        _add(self.results, {"key": key, "by": by, "tests": len(rows), "seconds": round(time.time() - start, 1)})


def _run(key: str, items: Sequence[pytest.Item], answer: Path) -> None:
    switches.on = os.environ["MUTANT"] = key
    for item, following in _pairs(items):
        if not _passes(item, following):
            answer.write_text(item.nodeid)
            return


def _chosen(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Stored results, then one case of each function, quick ones first, then others; those of a file together."""
    stored = [row for row in rows if row["test"].startswith("tests/golden/")]
    first: list[dict[str, Any]] = []
    rest: list[dict[str, Any]] = []
    seen: set[str] = set()
    for row in sorted((row for row in rows if row not in stored), key=lambda row: row["seconds"]):
        function = row["test"].split("[")[0]
        (rest if function in seen else first).append(row)
        seen.add(function)
    return stored + _within(first, MUTANT_SECONDS / 2) + _within(rest, MUTANT_SECONDS / 2)


def _beside(rows: Sequence[dict[str, Any]], every: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Other tests of the same files: a fixture that they share may have reached the mutant."""
    files, reached = {_file(row) for row in rows}, {row["test"] for row in rows}
    return _within([row for row in every if _file(row) in files and row["test"] not in reached], MUTANT_SECONDS / 2)


def _file(row: dict[str, Any]) -> str:
    return row["test"].split("::")[0]


def _within(rows: Sequence[dict[str, Any]], limit: float) -> list[dict[str, Any]]:
    chosen: list[dict[str, Any]] = []
    for row in rows:
        limit -= row["seconds"]
        if limit < 0 and chosen:
            break
        chosen.append(row)
    files = list(dict.fromkeys(map(_file, chosen)))
    return sorted(chosen, key=lambda row: files.index(_file(row)))


def _pairs(items: Sequence[pytest.Item]) -> Iterator[tuple[pytest.Item, pytest.Item | None]]:
    return zip(items, [*items[1:], None], strict=True)


def _passes(item: pytest.Item, following: pytest.Item | None) -> bool:
    reports = runtestprotocol(item, nextitem=following, log=False)
    return all(r.passed for r in reports) and any(r.when == "call" for r in reports)


def _in_child(work: Callable[[], None], seconds: float | None = None) -> int:
    """How a child ended that did the work within some processor time, and 20 times as long on the clock."""
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            if seconds is not None:
                os.setpgid(0, 0)
                resource.setrlimit(resource.RLIMIT_CPU, (int(seconds) + 1, resource.RLIM_INFINITY))
                signal.alarm(int(20 * seconds))
            work()
            code = 0
        finally:
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def _rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def _add(path: Path, row: dict[str, Any]) -> None:
    with path.open("a") as file:
        file.write(json.dumps(row) + "\n")
