"""`ttstack examples`: example models."""

from importlib.resources import files
from itertools import takewhile
from pathlib import Path
from typing import Annotated

import typer

from ttstack.cli.console import stdout, write_json, write_line
from ttstack.cli.shared_options import JsonOption
from ttstack.diagnostics import InputError


def write_example(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="NAME",
            help="Example to write (default: list all).",
            show_default=False,
            autocompletion=lambda: list(_texts()),
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", metavar="FILE", help="File to write (default: in this folder)."),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """List example models, or write one as a file."""
    if name is None and output is not None:
        raise typer.BadParameter("-o needs the NAME of an example")
    if name is None:
        _list(as_json=as_json)
        return
    from ttstack.cli.outputs import check_ending, check_targets
    from ttstack.support.files import write_whole
    from ttstack.support.suggestion import did_you_mean

    known = _texts()
    stem = name.removesuffix(".mlir")
    if stem not in known:
        listed, hint = f"examples: {', '.join(known)}", did_you_mean(stem, known) or "give one of these"
        raise InputError(f"there is no example '{name}'", notes=(listed,), hint=hint)
    target = output or Path(f"{stem}.mlir")
    check_targets(target)
    check_ending(target, ".mlir", "a model as text")
    write_whole(target, known[stem])
    if as_json:
        write_json({"file": str(target)})
    else:
        write_line(f"{target}: now `ttstack compile {target}`, then `ttstack perf {target.stem}.ttb`")


def _texts() -> dict[str, str]:
    """Return the text of each example by its name."""
    found = (path for path in files("ttstack").joinpath("examples").iterdir() if path.name.endswith(".mlir"))
    return {path.name.removesuffix(".mlir"): path.read_text(encoding="utf-8") for path in sorted(found, key=str)}


def _comment(text: str) -> str:
    lines = takewhile(lambda line: line.startswith("//"), text.splitlines())
    return " ".join(line.lstrip("/ ") for line in lines)


def _list(*, as_json: bool) -> None:
    """List each example with its first comment."""
    said = {name: _comment(text) for name, text in _texts().items()}
    if as_json:
        write_json(said)
        return
    from rich.table import Table

    rows = Table.grid(padding=(0, 2))
    for name, what in said.items():
        rows.add_row(name, what)
    stdout().print(rows)
