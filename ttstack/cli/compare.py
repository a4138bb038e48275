"""`ttstack compare`: two programs, or one on two devices, op by op."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ttstack.cli.console import stdout, write_json
from ttstack.cli.shared_options import (
    FunctionName,
    HtmlOption,
    JsonOption,
    ProgramFile,
    Recompile,
    SortOption,
    SortOrder,
    TopOption,
)

if TYPE_CHECKING:
    from ttstack.report.compare import Comparison

Other = Annotated[
    str, typer.Argument(metavar="OTHER", help="A .ttb file, or a device: a preset or YAML file.", show_default=False)
]

_OF_DEVICES = ("", ".yaml", ".yml", ".json")
"""How names of devices and of their files end."""


def compare_programs(
    file: ProgramFile,
    other: Other,
    sort: SortOption = SortOrder.ORDER,
    top: TopOption = None,
    function: FunctionName = None,
    recompile: Recompile = None,
    as_json: JsonOption = False,
    html: HtmlOption = None,
) -> None:
    """Compare predicted times op by op, of two programs or of one program on another device."""
    from ttstack.api import load
    from ttstack.cli.outputs import check_targets
    from ttstack.diagnostics import InputError
    from ttstack.system_desc import names

    check_targets(html, sources=(file, other, recompile))
    if not file.exists() and str(file) in names() and Path(other).suffix == ".ttb":
        raise InputError(f"'{file}' is a device", hint=f"give the program first: `ttstack compare {other} {file}`")
    program = load(file)
    is_program = Path(other).suffix == ".ttb"
    if not is_program and Path(other).suffix not in _OF_DEVICES:
        hint = "give a .ttb file that `ttstack compile` wrote, the name of a device, or its YAML file"
        raise InputError(f"'{other}' is neither a program nor a device", hint=hint)
    if is_program and recompile is not None:
        raise typer.BadParameter("--recompile goes with a device")
    found = program.compare(load(Path(other)) if is_program else other, function, recompile=recompile)
    if html is not None:
        found.to_html(html)
    show(found, sort, top, as_json=as_json)


def show(comparison: "Comparison", sort: SortOrder, top: int | None, *, as_json: bool) -> None:
    """Print a comparison, at the width of the terminal."""
    from ttstack.report.compare_table import render

    if as_json:
        write_json(comparison.to_dict())
        return
    console = stdout()
    for part in render(comparison, console.width, by=sort.value, top=top):
        console.print(part)
