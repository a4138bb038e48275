"""`ttstack reduce`: the smallest module on which a command still fails."""

from pathlib import Path
from typing import Annotated

import typer

from ttstack.cli.console import stderr, write, write_json
from ttstack.cli.options import JsonOption


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
    as_json: JsonOption = False,
) -> None:
    """Make a module smaller while a command still fails on it in the same way.

    The same way is the same exit code and, where it prints one, the same code of an error.
    """
    from ttstack.cli.outputs import check_targets
    from ttstack.diagnostics import SourceError
    from ttstack.files import write_whole
    from ttstack.reduce import FailingCommand, reduce_module
    from ttstack.report.formatting import count

    target = output or file.with_suffix(".small.mlir")
    check_targets(target, source=file)
    try:
        text = file.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as e:
        raise SourceError(f"cannot read '{file}': {e}") from e
    command = FailingCommand(keeps, text)
    with stderr().status("reducing") as status:
        small = reduce_module(text, command.fails_alike, lambda left: status.update(f"{left} ops left"))
    write_whole(target, small)
    left = small.count(" = ")
    if as_json:
        write_json({"file": str(target), "ops": left})
    else:
        write(f"{target}: {count(left, 'op')}")
