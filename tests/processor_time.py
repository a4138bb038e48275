"""What tests take of the processor, by folder, beside the budget of the folder: a line of the report, never a failure."""

import json
import os
from collections import Counter, defaultdict
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

STORED = Path(__file__).parents[1] / "docs" / "test-times.json"
COMMAND = "make test-times"
GENEROUS = 2.0
"""How many times the stored seconds a folder may take before the report says so: other machines are slower."""
_SLOWEST = 10
_PROPERTY = "processor_seconds"
_WORTH_A_TABLE = 60.0
"""Seconds from which the report has the table."""


def seconds() -> float:
    """Processor time of this process and of its children that have ended."""
    now = os.times()
    return now.user + now.system + now.children_user + now.children_system


def folder(test: str) -> str:
    """The folder of a test below `tests`, from its id; `.` of those in `tests` itself."""
    parts = test.split("::", maxsplit=1)[0].split("/")
    return parts[1] if len(parts) > 2 else "."


class ProcessorTime:
    """A plugin of pytest: each test is timed where it runs, and all are added up where the report is written."""

    def __init__(self, *, store: bool) -> None:
        self.store = store
        self.tests: dict[str, float] = {}
        self._began = 0.0

    def pytest_runtest_logstart(self) -> None:
        """Called by pytest before the fixtures of a test are set up, in the process that runs it and in xdist's own."""
        self._began = seconds()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self) -> Generator[None, Any, Any]:
        """Called by pytest after the setup, the call and the teardown of a test, where it runs."""
        report: Any = yield
        if report.when == "teardown":
            report.user_properties.append((_PROPERTY, seconds() - self._began))
        return report

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Called by pytest with each report, of all workers."""
        for name, value in report.user_properties:
            if name == _PROPERTY and isinstance(value, float):
                self.tests[report.nodeid] = value

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Called by pytest when all tests have run."""
        if self.store:
            STORED.write_text(json.dumps(self.measured(), indent=1) + "\n")
        if self.store or sum(self.tests.values()) >= _WORTH_A_TABLE:
            terminalreporter.section("processor time of tests by folder")
            for line in self.lines(json.loads(STORED.read_text())["folders"]):
                terminalreporter.write_line(line)

    def measured(self) -> dict[str, Any]:
        """What is stored: items and seconds of each folder, and the slowest tests."""
        slowest = sorted(self.tests.items(), key=lambda item: -item[1])[:_SLOWEST]
        return {
            "folders": {name: [items, round(of, 1)] for name, items, of in self._folders()},
            "slowest": [[test, round(of, 1)] for test, of in slowest],
        }

    def lines(self, stored: dict[str, list[float]]) -> list[str]:
        """The table, the longest first."""
        lines: list[str] = []
        for name, items, spent in self._folders():
            budget = GENEROUS * stored[name][1] if name in stored else None
            above = budget is not None and spent > max(budget, 1.0)
            said = "no budget yet" if budget is None else f"budget {budget:6.1f}"
            remark = f"  ABOVE ITS BUDGET; make tests smaller, or `{COMMAND}`" if above else ""
            lines.append(f"{name:14} {items:6} tests {spent:7.1f} s  {said}{remark}")
        return [*lines, f"{'all':14} {len(self.tests):6} tests {sum(self.tests.values()):7.1f} s"]

    def _folders(self) -> list[tuple[str, int, float]]:
        items, spent = Counter[str](), defaultdict[str, float](float)
        for test, of in self.tests.items():
            items[folder(test)] += 1
            spent[folder(test)] += of
        return sorted(((name, items[name], of) for name, of in spent.items()), key=lambda row: -row[2])
