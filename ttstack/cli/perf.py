"""`ttstack perf`: the predicted time of every op."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer

from ttstack.cli.shared_options import (
    CsvOption,
    DepthOption,
    EveryOpOption,
    FunctionName,
    GroupOption,
    HtmlOption,
    JsonOption,
    ProgramFile,
    Recompile,
    SamplesOption,
    SortOption,
    SortOrder,
    TokensOption,
    TopOption,
    TraceOption,
    VisualizerOption,
)

WhatIf = Annotated[
    list[str] | None,
    typer.Option(
        "--what-if",
        metavar="FIELD=VALUE,...",
        help="Compare with a device that has other figures, such as clock=1.2GHz; several add up.",
        show_default=False,
    ),
]


Profile = Annotated[
    Path | None,
    typer.Option(
        "--calibrate",
        metavar="FILE",
        help="Fit figures of the device to an ops_perf_results.csv of this program, and tell what changed.",
        show_default=False,
    ),
]
SaveDevice = Annotated[
    Path | None,
    typer.Option("--save-device", metavar="FILE", help="Where --calibrate writes the device.", show_default=False),
]


def perf(
    file: ProgramFile,
    sort: SortOption = SortOrder.ORDER,
    top: TopOption = None,
    group_by: GroupOption = None,
    depth: DepthOption = None,
    every_op: EveryOpOption = False,
    function: FunctionName = None,
    samples: SamplesOption = None,
    tokens: TokensOption = None,
    what_if: WhatIf = None,
    recompile: Recompile = None,
    calibrate: Profile = None,
    save_device: SaveDevice = None,
    as_json: JsonOption = False,
    csv: CsvOption = None,
    html: HtmlOption = None,
    trace_json: TraceOption = None,
    visualizer: VisualizerOption = None,
) -> None:
    """Predict the time of every op; nothing is executed."""
    from ttstack.api import load
    from ttstack.cli.outputs import check_new_folder, check_targets
    from ttstack.cli.report import check_depth, print_report, write_files

    deep = check_depth(group_by, depth)
    files = {"csv": csv, "html": html, "trace_json": trace_json, "visualizer": visualizer}
    _check_together(what_if, recompile, calibrate, save_device, counts={samples, tokens}, files=files)
    if visualizer is not None:
        check_new_folder(visualizer)
    check_targets(csv, html, trace_json, save_device, visualizer, sources=(file, recompile, calibrate))
    program = load(file)
    if calibrate is not None:
        from ttstack.cli.calibrate import fit_to_profile

        fit_to_profile(program, function, calibrate, save_device, as_json=as_json)
        return
    if what_if:
        from ttstack.cli.compare import show

        found = program.what_if(what_if, function, recompile=recompile)
        if html is not None:
            found.to_html(html)
        show(found, sort, top, as_json=as_json)
        return
    report = program.cost(function).count_in_pass(samples=samples, tokens=tokens)
    write_files(program, report, csv, html, trace_json, group_by)
    if visualizer is not None:
        program.to_visualizer(visualizer, function)
    print_report(report, sort, top, group_by, deep, every_op=every_op, as_json=as_json)


def _check_together(
    what_if: list[str] | None,
    recompile: str | None,
    calibrate: Path | None,
    save_device: Path | None,
    *,
    counts: set[int | None],
    files: Mapping[str, Path | None],
) -> None:
    """Raises `typer.BadParameter` where options do not go together."""
    written = {name for name, path in files.items() if path is not None}
    if recompile is not None and not what_if:
        raise typer.BadParameter("--recompile goes with --what-if")
    if (what_if or calibrate is not None) and counts != {None}:
        raise typer.BadParameter("--samples and --tokens are of one report: leave out --what-if and --calibrate")
    if what_if and written - {"html"}:
        raise typer.BadParameter("--what-if gives a comparison: of files, it writes --html alone")
    if save_device is not None and calibrate is None:
        raise typer.BadParameter("--save-device goes with --calibrate")
    if calibrate is not None and (what_if or written):
        raise typer.BadParameter("--calibrate prints what it changed: it takes no --what-if and writes no report")
