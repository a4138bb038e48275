"""`ttstack compare`: two programs, or one on two devices or with two releases of `ttnn`, op by op."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ttstack.cli.console import stdout, write_json
from ttstack.cli.shared_options import (
    FunctionName,
    HtmlOption,
    JsonOption,
    Recompile,
    SortOption,
    SortOrder,
    TopOption,
)

if TYPE_CHECKING:
    from ttstack.report.compare import Comparison

File = Annotated[
    Path, typer.Argument(metavar="FILE", help="A .ttb program; with --ttnn also a model.", show_default=False)
]
Other = Annotated[
    str | None,
    typer.Argument(
        metavar="OTHER",
        help="Another .ttb program, a device (preset or YAML file), or a profile: tt-metal's ops_perf_results.csv.",
        show_default=False,
    ),
]
Releases = Annotated[
    str | None,
    typer.Option(
        "--ttnn",
        metavar="VERSION,...",
        help="Compare two releases of ttnn, such as 0.75,0.81, or the program's own with one.",
        show_default=False,
        rich_help_panel="Device",
    ),
]

_OF_DEVICES = ("", ".yaml", ".yml", ".json")
"""Endings of names of devices and of their files."""
_SIDES = 2
"""Number of releases in a comparison."""


def compare_programs(
    file: File,
    other: Other = None,
    ttnn: Releases = None,
    sort: SortOption = None,
    top: TopOption = None,
    function: FunctionName = None,
    recompile: Recompile = None,
    as_json: JsonOption = False,
    html: HtmlOption = None,
) -> None:
    """Compare two programs, devices or releases of ttnn, or predictions with a profile, op by op."""
    from ttstack.cli.outputs import check_targets

    check_targets(html, sources=(file, other, recompile))
    if other is not None and Path(other).suffix == ".csv":
        if ttnn is not None or recompile is not None or html is not None:
            raise typer.BadParameter("--ttnn, --recompile and --html do not go with a profile", param_hint="OTHER")
        print_profile(file, Path(other), function, sort, top, as_json=as_json)
        return
    if ttnn is not None:
        found = _of_releases(file, other, ttnn, function, recompile)
    elif other is None:
        raise typer.BadParameter("missing argument 'OTHER': a program or a device; or compare releases with --ttnn")
    else:
        found = _of_two(file, other, function, recompile)
    print_comparison(found, sort, top, html, as_json=as_json)


def _of_two(file: Path, other: str, function: str | None, recompile: str | None) -> "Comparison":
    """Compare a program with another, or with itself on another device."""
    from ttstack.api import load
    from ttstack.diagnostics import InputError
    from ttstack.system_desc import names

    if not file.exists() and str(file) in names() and Path(other).suffix == ".ttb":
        raise InputError(f"'{file}' is a device", hint=f"give the program first: `ttstack compare {other} {file}`")
    program = load(file)
    is_program = Path(other).suffix == ".ttb"
    if not is_program and Path(other).suffix not in _OF_DEVICES:
        hint = "give a .ttb file that `ttstack compile` wrote, the name of a device, or its YAML file"
        raise InputError(f"'{other}' is neither a program nor a device", hint=hint)
    if is_program and recompile is not None:
        raise typer.BadParameter("--recompile goes with a device")
    return program.compare(load(Path(other)) if is_program else other, function, recompile=recompile)


def _of_releases(
    file: Path, device: str | None, ttnn: str, function: str | None, recompile: str | None
) -> "Comparison":
    """Compare a program, or a model compiled for each, with two releases of `ttnn`."""
    from ttstack.api import compile as compile_model
    from ttstack.api import load
    from ttstack.options.choices import Choices

    releases = [text.strip() for text in ttnn.split(",")]
    if len(releases) > _SIDES:
        raise typer.BadParameter(f"--ttnn compares two releases, not {len(releases)}")
    is_program = file.suffix == ".ttb"
    if is_program and device is not None:
        raise typer.BadParameter("--ttnn compares releases on the program's own device: leave out OTHER")
    if not is_program and recompile is not None:
        raise typer.BadParameter("--recompile goes with a program: a model is compiled for each release in any case")
    chosen = Choices(system_desc=device) if device else Choices()
    program = load(file) if is_program else compile_model(file, **chosen)
    before, after = releases if len(releases) == _SIDES else (program.binary.system_desc.chips[0].ttnn, *releases)
    return program.compare_releases(before, after, function, recompile=recompile if is_program else str(file))


def print_profile(
    file: Path, profile: Path, function: str | None, sort: SortOrder | None, top: int | None, *, as_json: bool
) -> None:
    """Print predicted and measured times, op by op, largest difference first."""
    from ttstack.api import load
    from ttstack.calibrate.against_profile import compare_profile
    from ttstack.calibrate.profile_table import render_profile

    program = load(file)
    found = compare_profile(program.binary, program.function(function), program.cost(function), profile)
    if as_json:
        write_json(found.to_dict())
        return
    console = stdout()
    for part in render_profile(found, console.width, by_difference=sort is not SortOrder.ORDER, top=top):
        console.print(part)


def print_comparison(
    comparison: "Comparison", sort: SortOrder | None, top: int | None, html: Path | None, *, as_json: bool
) -> None:
    """Write a comparison's page and print its path, or print the comparison at the width of the terminal."""
    from ttstack.cli.outputs import print_paths
    from ttstack.report.compare_table import render

    if html is not None:
        comparison.to_html(html)
    if as_json:
        write_json(comparison.to_dict())
        return
    if html is not None:
        print_paths([html])
        if sort is None and top is None:
            return
    console = stdout()
    for part in render(comparison, console.width, by=(sort or SortOrder.ORDER).value, top=top):
        console.print(part)
