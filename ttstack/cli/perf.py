"""`ttstack perf`: the predicted time of every op."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer

from ttstack.cli.shared_options import (
    AllOption,
    CallsOption,
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
        help="Compare with a changed device, such as cores=8x8, clock=1.2GHz, l1_size=2MiB, channels=16, "
        "dram_peak=1TB/s, link_bytes_per_cycle=64; repeat it to change more.",
        show_default=False,
        rich_help_panel="Device",
    ),
]


Profile = Annotated[
    Path | None,
    typer.Option(
        "--calibrate",
        metavar="FILE",
        help="Fit the device to an ops_perf_results.csv of this program, and print the changes.",
        show_default=False,
        rich_help_panel="Device",
    ),
]
SaveDevice = Annotated[
    Path | None,
    typer.Option(
        "--save-device",
        metavar="FILE",
        help="Write the device of --calibrate.",
        show_default=False,
        rich_help_panel="Device",
    ),
]


def perf(
    file: ProgramFile,
    all_ops: AllOption = False,
    sort: SortOption = None,
    top: TopOption = None,
    group_by: GroupOption = None,
    depth: DepthOption = None,
    every_op: EveryOpOption = False,
    calls: CallsOption = False,
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
    """Predict the time and memory of a program, without executing it."""
    from ttstack.api import load
    from ttstack.cli.outputs import check_new_folder, check_targets, print_paths
    from ttstack.cli.report import ReportView, print_json, print_report, write_files

    view = ReportView(sort, top, group_by, depth, every_op, calls, all_ops)
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
        from ttstack.cli.compare import print_comparison

        found = program.what_if(what_if, function, recompile=recompile)
        print_comparison(found, sort, top, html, as_json=as_json)
        return
    report = program.cost(function).count_in_pass(samples=samples, tokens=tokens)
    written = write_files(program, report, csv, html, trace_json, group_by)
    if visualizer is not None:
        program.to_visualizer(visualizer, function)
        written.append(visualizer)
    if as_json:
        print_json(report, view)
        return
    print_paths(written)
    if view.rows or not written:
        print_report(program, report, view, file)


def _check_together(
    what_if: list[str] | None,
    recompile: str | None,
    calibrate: Path | None,
    save_device: Path | None,
    *,
    counts: set[int | None],
    files: Mapping[str, Path | None],
) -> None:
    """Raise `typer.BadParameter` for options that cannot be combined."""
    written = {name for name, path in files.items() if path is not None}
    if recompile is not None and not what_if:
        raise typer.BadParameter("--recompile goes with --what-if")
    if (what_if or calibrate is not None) and counts != {None}:
        raise typer.BadParameter(
            "--samples and --tokens need a report of one program: leave out --what-if and --calibrate"
        )
    if what_if and written - {"html"}:
        raise typer.BadParameter("--what-if gives a comparison, which can only be written as --html")
    if save_device is not None and calibrate is None:
        raise typer.BadParameter("--save-device goes with --calibrate")
    if calibrate is not None and (what_if or written):
        raise typer.BadParameter(
            "--calibrate only prints its changes: leave out --what-if and the options that write a report"
        )
