"""`ttstack reduce`: the smallest module on which a command still fails."""

import re
from pathlib import Path
from typing import Annotated

import typer

from ttstack.cli.console import stderr, write, write_json
from ttstack.cli.shared_options import JsonOption

_GIVE = "give a module as text (.mlir), which `ttstack opt` prints"
_OP = re.compile(r"^\s+(?:%[\w:, %]+ = |\")", re.MULTILINE)
"""The beginning of an op's line; attributes of the module have other lines."""


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
    from ttstack.diagnostics import InvalidIRError, SourceError
    from ttstack.reduce import FailingCommand, reduce_module
    from ttstack.report.formatting import count
    from ttstack.support.files import write_whole
    from ttstack.support.suggestion import file_meant

    try:
        text = file.read_text("utf-8")
    except OSError as e:
        raise SourceError(f"cannot read '{file}': {e.strerror or e}", hint=file_meant(file) or _GIVE) from e
    except UnicodeDecodeError as e:
        raise SourceError(f"'{file}' is no text", hint=_GIVE) from e
    target = output or file.with_suffix(".small.mlir")
    check_targets(target, sources=(file,))
    command = FailingCommand(keeps, text)
    with stderr().status("reducing") as status:
        try:
            small = reduce_module(text, command.fails_alike, lambda left: status.update(f"{left} ops left"))
        except InvalidIRError as e:
            raise SourceError(f"'{file}' is no module as text", notes=(e.diagnostic.message,), hint=_GIVE) from e
    write_whole(target, small)
    left = len(_OP.findall(small))
    if as_json:
        write_json({"file": str(target), "ops": left})
    else:
        write(f"{target}: {count(left, 'op')}")
