"""Run `.mlir` files as `ttstack filecheck` does, each RUN line as a test."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ttstack.cli.exit_codes import run
from ttstack.cli.run_line import RunLine
from ttstack.cli.run_test_file import read_run_lines, run_test_file


class MlirFile(pytest.File):
    """A file with lines `// RUN: ttstack opt %s -p "PASSES" | filecheck %s`."""

    def collect(self) -> Iterator[pytest.Item]:
        for number, line in enumerate(read_run_lines(self.path, trust=False), 1):
            yield RunLineItem.from_parent(self, name=f"RUN{number}", line=line)


class RunLineItem(pytest.Item):
    """One RUN line."""

    def __init__(self, *, line: RunLine, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.line = line

    def runtest(self) -> None:
        for failure in run_test_file(self.path, [self.line], run, trust=False):
            raise AssertionError(failure.why)

    def reportinfo(self) -> tuple[Path, int, str]:
        return self.path, self.line.line - 1, f"{self.path.name}: {self.line.text}"


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> MlirFile | None:
    return MlirFile.from_parent(parent, path=file_path) if file_path.suffix == ".mlir" else None
