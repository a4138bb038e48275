"""The library's interpreter, called with a program to judge."""

import json
import os
import subprocess
import tempfile
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any

from ttstack.diagnostics import InputError
from ttstack.library.boards import board_of, description
from ttstack.library.setup import TTNN
from ttstack.library.verdict import Judgement, judgement
from ttstack.program.records import Binary, Function
from ttstack.ttnn_python import Emission

VARIABLE = "TTSTACK_TTNN_PYTHON"
"""The environment variable that names the interpreter."""

HINT = "make one: ttstack check --setup DIR, then name DIR/bin/python by --python or the variable " + VARIABLE


def check(binary: Binary, function: Function, name: str, python: str | os.PathLike[str] | None = None) -> Judgement:
    """Run the program on the mock device of its board.

    Args:
        binary: The program.
        function: Which of its functions.
        name: Of the program, for the emitted file.
        python: An interpreter that has `ttnn`; that of the environment variable where None.

    Raises:
        InputError: there is no such interpreter, it lacks `ttnn` or has another version, or no board that can be
            mocked fits.
        UnsupportedOpError: tensors are of formats or layouts that `ttnn` does not have.
    """
    interpreter = found_interpreter(python)
    board = board_of(binary, function)
    emission = Emission(binary, function, name)
    emission.check_tensors()
    with tempfile.TemporaryDirectory(prefix="ttstack-check-") as folder:
        cluster = Path(folder, "cluster.yaml")
        cluster.write_text(description(board))
        found = _run(interpreter, emission, Path(folder), _environment(cluster, interpreter))
    return judgement(emission, board.name, found)


def found_interpreter(python: str | os.PathLike[str] | None) -> Path:
    """The interpreter that is named, by the option or by the environment variable.

    Raises:
        InputError: there is none.
    """
    named = python or os.environ.get(VARIABLE)
    if not named:
        raise InputError("no interpreter with ttnn is named", hint=HINT)
    path = Path(named)
    if not (path.is_file() and os.access(path, os.X_OK)):
        raise InputError(f"there is no interpreter '{path}'", hint=HINT)
    return path.absolute()  # not resolved, since a virtual environment is where its link lies


def _run(python: Path, emission: Emission, folder: Path, environment: Mapping[str, str]) -> dict[str, Any]:
    program, request, result = (folder / name for name in ("program.py", "request.json", "result.json"))
    steps = [{"source": "\n".join(step.lines(0)), "instead": emission.empty(step)} for step in emission.steps]
    program.write_text(emission.text)  # last: by now all configurations have their names
    standin = str(files("ttstack.library").joinpath("standin"))
    request.write_text(json.dumps({"program": str(program), "steps": steps, "standin": standin, "version": TTNN}))
    child = str(files("ttstack.library").joinpath("child.py"))
    done = subprocess.run(
        [str(python), child, str(request), str(result)],
        cwd=folder,
        env=dict(environment),
        capture_output=True,
        text=True,
        check=False,
    )
    if not result.exists():
        said = [line for line in done.stderr.splitlines() if line.strip()][-3:]
        lacking = "No module named 'ttnn'" in done.stderr
        what = f"'{python}' has no ttnn" if lacking else f"'{python}' failed with code {done.returncode}"
        raise InputError(what, notes=() if lacking else tuple(said), hint=HINT)
    found: dict[str, Any] = json.loads(result.read_text())
    if found["version"] != TTNN:
        raise InputError(f"'{python}' has ttnn {found['version']}, programs are written for {TTNN}", hint=HINT)
    return found


def _environment(cluster: Path, python: Path) -> dict[str, str]:
    """Ours, without what would lead the library to a device, and with what it reads of the mock."""
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
