"""Runs each test with every mutant that it reaches, as a plugin of pytest.

A child is forked before a test. When the test has passed in the parent, which knows then what it reached, the child runs
it once for each of these, so that nothing is imported, collected or compiled again. What a mutant does to what earlier
tests have cached is not seen: such mutants are tried again by `run.py`, in a process of their own.
"""

import json
import os
import resource
import signal
import time
from collections import Counter
from pathlib import Path

import pytest
import sitecustomize as switches
from _pytest.runner import runtestprotocol

FUNCTION_SECONDS = 2.0
"""What the cases of one test function may take together; further ones are left to the second stage."""
TEST_SECONDS = 0.7
MUTANTS_SECONDS = 15.0
"""Longer tests, whose mutants would take longer than this, are only noted."""


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(Mutants(Path(os.environ["MUTANTS_NOTES"])))


class Mutants:
    def __init__(self, notes: Path) -> None:
        self.notes = notes
        self.spent: Counter[str] = Counter()
        self.known: set[str] = set()
        self.at_import: set[str] = set()
        self.dead: set[str] = set()
        for row in map(json.loads, notes.read_text().splitlines() if notes.exists() else ()):
            self.known.add(row.get("test", ""))
            self.dead |= {*row.get("killed", ()), *row.get("endless", ())}
        switches.home = os.getpid()
        self.elsewhere = Path(os.environ["MUTANTS_REACHED"])

    def pytest_collection_finish(self) -> None:
        self._note({"at_import": sorted(switches.reached)})
        self.at_import = set(switches.reached)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item, nextitem: pytest.Item | None) -> bool:
        function = item.nodeid.split("[")[0]
        if item.nodeid in self.known or self.spent[function] > FUNCTION_SECONDS:
            item.session._setupstate.teardown_exact(nextitem)
            return True
        switches.reached.clear()
        self.elsewhere.write_text("")
        child = _Child(item, nextitem)
        start = time.process_time()
        passed = _passes(item, nextitem)
        seconds = time.process_time() - start
        self.spent[function] += seconds
        reached = switches.reached | set(self.elsewhere.read_text().split())
        alive = sorted(reached - self.dead - self.at_import) if passed else []
        if seconds > TEST_SECONDS and seconds * len(alive) > MUTANTS_SECONDS:
            alive = []
        killed, endless = child.outcomes(alive, seconds)
        child.end()
        self.dead |= {*killed, *endless}
        self._note(
            {"test": item.nodeid, "passed": passed, "seconds": round(seconds, 3)}
            | {"reached": sorted(reached), "killed": killed, "endless": endless}
        )
        return True

    def _note(self, row: dict[str, object]) -> None:
        with self.notes.open("a") as file:
            file.write(json.dumps(row) + "\n")


def _passes(item: pytest.Item, nextitem: pytest.Item | None) -> bool:
    reports = runtestprotocol(item, nextitem=nextitem, log=False)
    return all(r.passed for r in reports) and any(r.when == "call" for r in reports)


class _Child:
    """The process as it was before a test."""

    def __init__(self, item: pytest.Item, nextitem: pytest.Item | None) -> None:
        self.asks, ask = os.pipe()
        answer, self.answers = os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            os.close(ask), os.close(answer)
            self._serve(item, nextitem)
        os.close(self.asks), os.close(self.answers)
        self.ask, self.answer = os.fdopen(ask, "w"), os.fdopen(answer)

    def outcomes(self, keys: list[str], seconds: float) -> tuple[list[str], list[str]]:
        """Those that fail the test, which passes in a child without any, and those that do not end."""
        said = {key: self._outcome(key, seconds) for key in keys}
        killed = [key for key in keys if said[key] == "failed"]
        fit = not killed or self._outcome("-", seconds) == "passed"
        return killed if fit else [], [key for key in keys if said[key] == "time"]

    def end(self) -> None:
        self.ask.close(), self.answer.close()
        os.waitpid(self.pid, 0)

    def _outcome(self, key: str, seconds: float) -> str:
        self.ask.write(f"{key} {seconds}\n")
        self.ask.flush()
        return self.answer.readline().strip()

    def _serve(self, item: pytest.Item, nextitem: pytest.Item | None) -> None:
        with os.fdopen(self.asks) as asks, os.fdopen(self.answers, "w") as answers:
            for line in asks:
                key, seconds = line.split()
                answers.write(_status(key, float(seconds), item, nextitem) + "\n")
                answers.flush()
        os._exit(0)


def _status(key: str, seconds: float, item: pytest.Item, nextitem: pytest.Item | None) -> str:
    """What the test says of one mutant, in a process of its own group with a limit of processor time."""
    pid = os.fork()
    if pid == 0:
        os.setpgid(0, 0)
        switches.on = os.environ["MUTANT"] = key
        resource.setrlimit(resource.RLIMIT_CPU, (int(10 * seconds) + 5, resource.RLIM_INFINITY))
        signal.alarm(int(100 * seconds) + 60)
        status = 1
        try:
            status = 0 if _passes(item, nextitem) else 1
        finally:
            os._exit(status)
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    if code in (-signal.SIGALRM, -signal.SIGXCPU):
        return "time"
    return "passed" if code == 0 else "failed"
