"""`ttstack check`: validation of a program by the real `ttnn` library on a mock device."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ttstack.cli.console import note, stdout, write, write_json
from ttstack.cli.shared_options import FunctionName, JsonOption
from ttstack.support.environment import TTNN_PYTHON

if TYPE_CHECKING:
    from ttstack.library.verdict import Judgement, LibraryVerdict

REFUSED = 1


def check_program(
    file: Annotated[Path | None, typer.Argument(metavar="FILE", help="A .ttb program.", show_default=False)] = None,
    python: Annotated[
        Path | None,
        typer.Option(
            "--python",
            metavar="INTERPRETER",
            help=f"Python with ttnn (default: ${TTNN_PYTHON.name}).",
            show_default=False,
        ),
    ] = None,
    setup: Annotated[
        Path | None,
        typer.Option("--setup", metavar="DIR", help="Create an environment with ttnn, and exit.", show_default=False),
    ] = None,
    differences: Annotated[
        bool,
        typer.Option("--differences", help="Print only ops that are refused, or whose buffers or results differ."),
    ] = False,
    any_version: Annotated[
        bool,
        typer.Option("--any-version", help="Accept a version of ttnn other than the one of the program."),
    ] = False,
    function: FunctionName = None,
    as_json: JsonOption = False,
) -> None:
    """Run a program on the mock device of the real ttnn library.

    The exit code is 1 if ttnn refuses an op.
    """
    if (file is None) == (setup is None):
        raise typer.BadParameter("give a program, or --setup with a folder")
    if setup is not None:
        from ttstack.library.setup import set_up

        write(f"{set_up(setup)} has ttnn")
        return
    from ttstack.api import load
    from ttstack.library.run import check
    from ttstack.library.setup import TTNN

    assert file is not None
    program = load(file)
    found = check(program.binary, program.function(function), file.stem, python, any_version=any_version)
    if found.version != TTNN:
        note(f"ttnn {found.version} judges a program that is written for {TTNN}")
    if as_json:
        write_json(found.as_dict())
    else:
        _print(found, differences=differences)
    if found.refusal or found.refused:
        raise typer.Exit(REFUSED)


def _print(found: "Judgement", *, differences: bool) -> None:
    from ttstack.cli.render import show

    shown = [v for v in found.verdicts if not (differences and v.same_buffers and not v.result)]
    show(stdout(), [_row(verdict) for verdict in shown])
    alike = sum(verdict.same_buffers for verdict in found.verdicts)
    write(f"\n{len(found.verdicts)} ops on {found.board}: {len(found.refused)} refused, {alike} with the same buffers")
    write(f"the program was refused: {found.refusal}" if found.refusal else "the program runs to its end")


def _row(verdict: "LibraryVerdict") -> dict[str, Any]:
    main = verdict.main
    return {
        "#": verdict.number,
        "op": verdict.name,
        "location": verdict.location,
        "verdict": verdict.refusal or (f"gives {verdict.result}" if verdict.result else "accepted"),
        "device operation": main.name if main else "-",
        "kernel": main.kernel if main else "-",
        "launches": len(verdict.launches),
        "buffers": verdict.buffer_bytes,
        "there": main.buffer_bytes if main else 0,
        "L1": verdict.l1_bytes,
        "L1 there": max((x.peak_bytes for x in verdict.launches), default=0),
    }
