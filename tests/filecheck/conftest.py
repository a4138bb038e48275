"""Run `.mlir` files in process: RUN lines stay shell that can be pasted, and cost milliseconds instead of a process."""

import contextlib
import io
import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, cast

import pytest
from filecheck.finput import FInput
from filecheck.matcher import Matcher
from filecheck.options import Options
from filecheck.parser import Parser

from ttstack.diagnostics import TTStackError
from ttstack.dialects.text import print_module
from ttstack.frontends.source import import_model
from ttstack.passes.attach_system_desc import AttachSystemDesc
from ttstack.passes.base import Pipeline, parse_pipeline
from ttstack.passes.pipelines import PIPELINES


class MlirFile(pytest.File):
    """A file with lines `// RUN: ttstack opt %s -p "PASSES" | filecheck %s`."""

    def collect(self) -> Iterator[pytest.Item]:
        runs = [x.split("RUN:", 1)[1].strip() for x in self.path.read_text().splitlines() if "RUN:" in x]
        for number, run in enumerate(runs, 1):
            yield RunLine.from_parent(self, name=f"RUN{number}", run=run)


class RunLine(pytest.Item):
    """One RUN line; `not` in front of it expects an error, `2>&1` checks its text."""

    def __init__(self, *, run: str, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.run = run

    def runtest(self) -> None:
        command, check = (shlex.split(part.replace("%s", str(self.path))) for part in self.run.split("|"))
        fails, errors = command[0] == "not", command[-1] == "2>&1"
        arguments = command[2 + fails : len(command) - errors]
        text, failed = opt(arguments, errors)
        assert failed == fails, text
        prefixes = [a.partition("=")[2] for a in check if a.startswith("--check-prefix")]
        _check(self.path, text, *prefixes)

    def reportinfo(self) -> tuple[Path, int, str]:
        return self.path, 0, f"{self.path.name}: {self.run}"


def opt(arguments: Sequence[str], errors: bool) -> tuple[str, bool]:
    """What `ttstack opt` prints, and whether it fails."""
    options = dict(zip(arguments[1::2], arguments[2::2], strict=True))
    try:
        with import_model(Path(arguments[0])) as found:
            steps = parse_pipeline(options.pop("-p", ""), PIPELINES).passes
            attach = [AttachSystemDesc(system_desc=options.pop("--system-desc"))] if "--system-desc" in options else []
            assert not options, options
            Pipeline((*attach, *steps)).run(found.module)
            return print_module(found.module), False
    except TTStackError as e:
        return str(e) if errors else "", True


def _check(path: Path, text: str, prefix: str = "CHECK") -> None:
    options = Options(str(path), check_prefixes=cast(Any, prefix))  # a text, as its command line gives it
    report = io.StringIO()
    with contextlib.redirect_stderr(report), contextlib.redirect_stdout(report):
        wrong = Matcher(options, FInput("<ttstack opt>", text), Parser.from_opts(options)).run()
    if wrong:
        raise AssertionError(f"{report.getvalue()}\n{text}")


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> MlirFile | None:
    return MlirFile.from_parent(parent, path=file_path) if file_path.suffix == ".mlir" else None
