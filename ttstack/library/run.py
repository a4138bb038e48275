"""Validation of a program in the library's interpreter."""

import json
import os
import subprocess
import tempfile
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path
from typing import Any

from ttstack.diagnostics import InputError
from ttstack.library.boards import Board, board_of, description
from ttstack.library.setup import TTNN
from ttstack.library.verdict import Judgement, judgement
from ttstack.program.records import Binary, Function
from ttstack.support.environment import TTNN_PYTHON
from ttstack.ttnn_python import Emission

VARIABLE = TTNN_PYTHON.name
"""The environment variable with the interpreter."""

HINT = "make one: ttstack check --setup DIR, then name DIR/bin/python by --python or the variable " + VARIABLE


def check(
    binary: Binary,
    function: Function,
    name: str,
    python: str | os.PathLike[str] | None = None,
    *,
    any_version: bool = False,
) -> Judgement:
    """Run the program on the mock device of its board.

    Args:
        binary: The program.
        function: One of its functions.
        name: The program's name, for the emitted file.
        python: An interpreter with `ttnn`; by default that of the environment variable.
        any_version: Whether to accept another version of `ttnn` than the programs' own.

    Raises:
        InputError: the interpreter does not exist, has no `ttnn` or another version without `any_version`, or no board
        that can be mocked fits.
        UnsupportedOpError: tensors are of formats or layouts that `ttnn` does not have.
    """
    interpreter = find_interpreter(python)
    emission = Emission(binary, function, name)
    emission.check_tensors()
    (found,) = judge([emission], board_of(binary, function), interpreter, any_version=any_version)
    return found


def judge(
    emissions: Sequence[Emission], board: Board, python: Path, *, any_version: bool = False
) -> Iterator[Judgement]:
    """Run programs one after the other on one mock device.

    Raises:
        InputError: the interpreter has no `ttnn`, another version without `any_version`, or ended early.
    """
    python = python.absolute()  # not resolved, since a virtual environment is where its link lies
    with tempfile.TemporaryDirectory(prefix="ttstack-check-") as folder, mock_environment(board, python) as environment:
        results, ended = _run(python, emissions, Path(folder), environment, None if any_version else TTNN)
    version = _checked_version(results, ended, python, any_version=any_version)
    for emission, found in zip(emissions, results[1:], strict=False):
        yield judgement(emission, board.name, version, found)
    if len(results) <= len(emissions):
        raise _failed(python, ended)


@contextmanager
def mock_environment(board: Board, python: Path) -> Generator[Mapping[str, str]]:
    """Yield the environment variables for a process that opens a mock device in place of a board."""
    with tempfile.TemporaryDirectory(prefix="ttstack-board-") as folder:
        cluster = Path(folder, "cluster.yaml")
        cluster.write_text(description(board))
        yield _environment(cluster, python.absolute())


def find_interpreter(python: str | os.PathLike[str] | None) -> Path:
    """Return the Python interpreter of the option or the environment variable.

    Raises:
        InputError: there is none.
    """
    named = python or os.environ.get(VARIABLE)
    if not named:
        raise InputError("no Python interpreter with ttnn is set", hint=HINT)
    path = Path(named)
    if not (path.is_file() and os.access(path, os.X_OK)):
        raise InputError(f"there is no interpreter '{path}'", hint=HINT)
    return path


Results = list[dict[str, Any]]
"""The version of the library, then the results of each program."""

Ended = subprocess.CompletedProcess[str]


def _run(
    python: Path,
    emissions: Sequence[Emission],
    folder: Path,
    environment: Mapping[str, str],
    version: str | None,
) -> tuple[Results, Ended]:
    request, results = folder / "request.json", folder / "results.jsonl"
    programs = [_written(emission, folder / f"program_{i}.py") for i, emission in enumerate(emissions)]
    standin = str(files("ttstack.library").joinpath("standin"))
    request.write_text(json.dumps({"programs": programs, "standin": standin, "version": version}))
    child = str(files("ttstack.library").joinpath("child.py"))
    ended = subprocess.run(
        [str(python), child, str(request), str(results)],
        cwd=folder,
        env=dict(environment),
        capture_output=True,
        text=True,
        check=False,
    )
    lines = results.read_text().splitlines(keepends=True) if results.exists() else []
    return [json.loads(line) for line in lines if line.endswith("\n")], ended


def _written(emission: Emission, path: Path) -> dict[str, Any]:
    """Write a program to a file, and return its steps."""
    steps = [
        {
            "prepared": "" if step.before else "\n".join(step.prepared_lines(0)),
            "source": "\n".join(step.lines(0)),
            "instead": emission.empty(step),
        }
        for step in emission.steps
    ]
    path.write_text(emission.text)  # last: by now all configurations have their names
    return {"path": str(path), "steps": steps}


def _checked_version(results: Results, ended: Ended, python: Path, *, any_version: bool) -> str:
    if not results:
        raise _failed(python, ended)
    version: str = results[0]["version"]
    if version != TTNN and not any_version:
        hint = f"{HINT}; --any-version lets this one judge"
        raise InputError(f"'{python}' has ttnn {version}, programs are written for {TTNN}", hint=hint)
    return version


def _failed(python: Path, ended: Ended) -> InputError:
    if "No module named 'ttnn'" in ended.stderr:
        return InputError(f"'{python}' has no ttnn", hint=HINT)
    said = tuple(line for line in ended.stderr.splitlines() if line.strip())[-3:]
    return InputError(f"'{python}' failed with code {ended.returncode}", notes=said, hint=HINT)


def _environment(cluster: Path, python: Path) -> dict[str, str]:
    """Return this process's environment without device settings, and with those of the mock."""
    left_out = ("TT_METAL_SIMULATOR", "TT_METAL_SLOW_DISPATCH_MODE", "PYTHONPATH", "PYTHONHOME")
    kept = {name: value for name, value in os.environ.items() if name not in left_out}
    cache = python.parent.parent / "mock-cache"
    return kept | {
        "TT_METAL_MOCK_CLUSTER_DESC_PATH": str(cluster),
        "TT_METAL_CACHE": str(cache),
        "TT_METAL_LOGS_PATH": str(cluster.parent),
        "TT_METAL_LOGGER_LEVEL": "OFF",
        "TT_METAL_DISABLE_BACKTRACE": "1",
        "LOGURU_LEVEL": "ERROR",
    }
