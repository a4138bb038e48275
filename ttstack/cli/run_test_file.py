"""Run the RUN lines of a test file without a shell."""

import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import chdir, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, cast

from ttstack.cli.run_line import INTERNAL_ERROR, Check, RunLine, run_lines
from ttstack.cli.run_line_trust import check_trust
from ttstack.diagnostics import OutputError, SourceError

RunCommand = Callable[[Sequence[str]], int]
"""Runs a command line of ttstack in this process, and returns its exit code."""


@dataclass(frozen=True)
class FailedLine:
    """A RUN line that failed."""

    file: str
    line: int
    command: str
    why: str
    """The exit code with the errors, or the first CHECK line that does not match with the output around it."""


def read_run_lines(path: Path, *, trust: bool) -> list[RunLine]:
    """Return the RUN lines of a file.

    Raises:
        SourceError: the file cannot be read as text, a line has another form, or it may do more than an untrusted file
            is allowed.
    """
    try:
        lines = run_lines(path.read_text("utf-8"), str(path))
    except (OSError, UnicodeDecodeError) as e:
        raise SourceError(f"cannot read '{path}' as text") from e
    for line in lines if not trust else ():
        check_trust(line, f"{path}:{line.line}")
    return lines


def run_test_file(path: Path, lines: list[RunLine], run: RunCommand, *, trust: bool) -> Iterator[FailedLine]:
    """Run lines of a file and yield those that fail.

    `%t` is a name in a new folder, which is removed at the end. `%s` is the file, or a copy of it in this folder if the
    file is not trusted; commands then run in the folder too.
    """
    with TemporaryDirectory(prefix="ttstack-filecheck-") as folder:
        original = path.absolute()
        test = original if trust else Path(shutil.copy(path, folder))
        names = {"%s": str(test), "%S": str(original.parent), "%t": str(Path(folder) / f"{path.stem}.tmp")}
        with chdir(Path.cwd() if trust else folder):
            for line in lines:
                if why := _why_failed(line, original, names, run):
                    yield FailedLine(str(path), line.line, line.text, why)


def _why_failed(line: RunLine, test: Path, names: Mapping[str, str], run: RunCommand) -> str:
    """Run a line; return why it fails, or nothing."""
    text = ""
    if line.arguments:
        code, text, errors = _call([_substitute(word, names) for word in line.arguments], run)
        if code == INTERNAL_ERROR or bool(code) != line.fails:
            expected = "a failure is expected" if line.fails else "0 is expected"
            return f"exit code {code}, {expected}\n{errors or text}".rstrip()
        text += errors if line.with_errors else ""
        if line.output_file:
            Path(_substitute(line.output_file, names)).write_text(text, "utf-8")
    if line.check is None:
        return ""
    if line.check.input_file:
        text = Path(_substitute(line.check.input_file, names)).read_text("utf-8")
    return compare_checks(test, text, line.check)


def _substitute(word: str, names: Mapping[str, str]) -> str:
    for name, value in names.items():
        word = word.replace(name, value)
    return word


def _call(arguments: list[str], run: RunCommand) -> tuple[int, str, str]:
    """Run a command line; return its exit code, and what it writes to standard output and to standard error.

    A line that loads plug-ins runs in another process, as their definitions stay in a process.
    """
    if arguments[0].startswith("--load"):
        command = [sys.executable, "-m", "ttstack.cli", *arguments]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        return done.returncode, done.stdout, done.stderr
    out, err = StringIO(), StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        code = run(arguments)
    return code, out.getvalue(), err.getvalue()


def compare_checks(test: Path, text: str, check: Check) -> str:
    """Compare a text with the CHECK lines of a file; return the report of the first difference, or nothing.

    Raises:
        OutputError: the package `filecheck` is not installed.
    """
    try:
        from filecheck.finput import FInput
        from filecheck.matcher import Matcher
        from filecheck.options import Options
        from filecheck.parser import Parser
    except ModuleNotFoundError as error:
        raise OutputError("CHECK lines need the package filecheck", hint="pip install 'ttstack[filecheck]'") from error
    options = Options(str(test), check_prefixes=cast(Any, ",".join(check.prefixes)))
    report = StringIO()
    with redirect_stdout(report), redirect_stderr(report):
        try:
            differs = Matcher(options, FInput("<output>", text), Parser.from_opts(options)).run()
        except Exception as e:
            raise SourceError(f"the CHECK lines cannot be read: {e}", loc=test) from e
    return f"{report.getvalue()}\n{text}" if differs else ""
