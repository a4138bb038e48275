"""`ttstack filecheck`: tests of one's own passes and patterns, as LLVM's lit and FileCheck have them."""

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from ttstack.cli.console import write, write_json
from ttstack.cli.shared_options import JsonOption


def run_filecheck(
    context: typer.Context,
    paths: Annotated[list[Path], typer.Argument(metavar="PATH...", help="Test files, or folders with .mlir files.")],
    trust: Annotated[
        bool,
        typer.Option("--trust", help="Allow all commands and options in RUN lines: they can execute code."),
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Run the RUN lines of test files, and compare the output with their CHECK lines.

    The exit code is 1 if a line fails.
    """
    from ttstack.cli.run_test_file import FailedLine, read_run_lines, run_test_file
    from ttstack.diagnostics import SourceError
    from ttstack.report.formatting import count

    tests = {path: read_run_lines(path, trust=trust) for path in _test_files(paths)}
    tests = {path: lines for path, lines in tests.items() if lines or path in paths}
    if without := [str(path) for path, lines in tests.items() if not lines] or ([] if tests else map(str, paths)):
        raise SourceError(
            f"no RUN lines in {', '.join(without)}", hint="a test has a line `// RUN: ttstack opt %s | filecheck %s`"
        )
    failed: list[FailedLine] = []
    for path, lines in tests.items():
        for failure in run_test_file(path, lines, context.find_root().obj, trust=trust):
            failed.append(failure)
            if not as_json:
                write(f"FAIL {failure.file}:{failure.line}: {failure.command}\n{failure.why}\n")
    number = sum(map(len, tests.values()))
    if as_json:
        write_json({"files": len(tests), "lines": number, "failed": [asdict(failure) for failure in failed]})
    else:
        write(f"{count(len(tests), 'file')}, {count(number, 'RUN line')}, {len(failed)} failed")
    if failed:
        raise typer.Exit(1)


def _test_files(paths: list[Path]) -> Iterator[Path]:
    for path in paths:
        if path.is_dir():
            yield from sorted(path.rglob("*.mlir"))
        else:
            yield path
