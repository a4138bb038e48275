"""`ttstack compare`: two programs, or one on two devices, op by op."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ttstack.cli.console import stdout, write_json
from ttstack.cli.options import (
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
    from ttstack.cli.recompiled import compare_with_recompiled
    from ttstack.report.compare import compare
    from ttstack.report.what_if import on_system
    from ttstack.system_desc import load as load_system

    check_targets(html, source=file)
    program = load(file)
    before = program.cost(function)
    is_program = Path(other).suffix == ".ttb"
    if is_program and recompile is not None:
        raise typer.BadParameter("--recompile goes with a device")
    if is_program:
        found = compare(before, load(Path(other)).cost(function))
    elif recompile is None:
        found = compare(before, *on_system(program.binary, load_system(other), before.function))
    else:
        found = compare_with_recompiled(program, before, recompile, load_system(other))
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
