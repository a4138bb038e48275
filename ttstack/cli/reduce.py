"""`ttstack reduce`: the smallest module on which a command still fails."""

import re
import shlex
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Annotated

import typer

from ttstack.cli.console import stderr, write

_CODE = re.compile(r"error\[(\w+)\]")
_PATIENCE, _LEAST_SECONDS = 4.0, 10.0
"""A command may take this many times as long as on the whole module, and never less than some seconds."""


def reduce_file(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A module as text.", show_default=False)],
    keeps: Annotated[
        str,
        typer.Option("--keeps", metavar="COMMAND", help="Fails on the module; {} in it stands for a smaller one."),
    ],
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", metavar="FILE", help="The small module; FILE with .small.mlir by default."),
    ] = None,
) -> None:
    """Make a module smaller while a command still fails on it in the same way.

    The same way is the same exit code and, where it prints one, the same code of an error.
    """
    from ttstack.cli.outputs import check_targets
    from ttstack.diagnostics import InputError, SourceError
    from ttstack.files import write_whole
    from ttstack.reduce import reduce_module

    target = output or file.with_suffix(".small.mlir")
    check_targets(target, source=file)
    try:
        text = file.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as e:
        raise SourceError(f"cannot read '{file}': {e}") from e
    with tempfile.TemporaryDirectory() as folder:
        candidate = Path(folder) / "module.mlir"

        def outcome(module: str, seconds: float | None = None) -> tuple[int, str]:
            candidate.write_text(module, "utf-8")
            words = [word.replace("{}", str(candidate)) for word in shlex.split(keeps)]
            words += [] if "{}" in keeps else [str(candidate)]
            try:
                done = subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=seconds, check=False)
            except subprocess.TimeoutExpired:
                return 0, "took too long"
            except OSError as e:
                raise InputError(
                    f"--keeps cannot be run: {e}", hint="give a command, as in 'ttstack compile {}'"
                ) from e
            found = _CODE.search(done.stderr)
            return done.returncode, found[1] if found else ""

        start = time.monotonic()
        wanted = outcome(text)
        if wanted[0] == 0:
            raise InputError(f"the command does not fail on '{file}'", hint="give --keeps a command that does")
        limit = max(_PATIENCE * (time.monotonic() - start), _LEAST_SECONDS)
        console = stderr()
        with console.status("reducing") as status:
            small = reduce_module(
                text, lambda module: outcome(module, limit) == wanted, lambda left: status.update(f"{left} ops left")
            )
    write_whole(target, small)
    write(f"{target}: {small.count(' = ')} ops")
