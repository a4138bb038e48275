"""`ttstack reduce`: reduction of a module on which a command fails."""

import re
from pathlib import Path
from typing import Annotated

import typer

from ttstack.cli.console import write, write_json
from ttstack.cli.shared_options import JsonOption

_GIVE = "give a module as text (.mlir), which `ttstack opt` prints"
_WORKERS = 2
"""Commands that run at the same time."""
_OP = re.compile(r"^\s+(?:%[\w:, %]+ = |\")", re.MULTILINE)
"""The beginning of an op's line, as opposed to the module's attributes."""


def reduce_file(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="An .mlir file.", show_default=False)],
    keeps: Annotated[
        str,
        typer.Option("--keeps", metavar="COMMAND", help="Command that fails on the module, with {} for the file."),
    ],
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", metavar="FILE", help="File for the small module (default: FILE.small.mlir)."),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Make a module smaller while a command fails on it in the same way.

    The same way means the same exit code, and the same error code if the command prints one. Two commands run at once.
    The file has the smallest module so far at any moment.
    """
    from ttstack.cli.outputs import check_targets
    from ttstack.cli.progress import interrupts, show_reduction
    from ttstack.diagnostics import InvalidIRError, SourceError
    from ttstack.reduce import FailingCommand, ReductionState, reduce_module
    from ttstack.report.formatting import count
    from ttstack.support.files import write_whole

    text = _read(file)
    target = output or file.with_suffix(".small.mlir")
    check_targets(target, sources=(file,))
    command = FailingCommand(keeps, text)
    smallest: list[ReductionState] = []
    with interrupts() as interrupted, show_reduction() as show:

        def keep(now: ReductionState) -> None:
            if not smallest or smallest[0].text != now.text:
                write_whole(target, now.text)
            smallest[:] = [now]
            show(now.ops, now.tries)

        try:
            small = reduce_module(text, command.fails_alike, keep, workers=_WORKERS)
        except InvalidIRError as e:
            raise SourceError(f"'{file}' is not a module as text", notes=(e.diagnostic.message,), hint=_GIVE) from e
    if interrupted.signal:
        small = smallest[0].text if smallest else text
    write_whole(target, small)
    left = len(_OP.findall(small))
    if as_json:
        write_json({"file": str(target), "ops": left})
    else:
        tries = smallest[0].tries if smallest else 0
        ended = f", interrupted; smaller modules tried: {tries}" if interrupted.signal else ""
        write(f"{target}: {count(left, 'op')}{ended}")
    if interrupted.signal:
        raise typer.Exit(interrupted.exit_code)


def _read(file: Path) -> str:
    """Return the text of a module's file.

    Raises:
        SourceError: the file cannot be read, or is not text.
    """
    from ttstack.diagnostics import SourceError
    from ttstack.support.suggestion import file_meant

    try:
        return file.read_text("utf-8")
    except OSError as e:
        raise SourceError(f"cannot read '{file}': {e.strerror or e}", hint=file_meant(file) or _GIVE) from e
    except UnicodeDecodeError as e:
        raise SourceError(f"'{file}' is not text", hint=_GIVE) from e
