"""`ttstack opt`: passes by name, for those who write them."""

import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ttstack.cli.console import stderr, stdout, write, write_json
from ttstack.cli.help import DEBUGGING
from ttstack.cli.rewrites import (
    CheckNumericsOption,
    CheckValuesOption,
    ExplainRewritesOption,
    StopAfterOption,
    findings,
    instruments_of,
    print_findings,
)
from ttstack.cli.shared_options import (
    DumpDiffOption,
    HelpDebuggingOption,
    JsonOption,
    MlirTimingOption,
    PrintAfterOption,
    PrintDeviceOption,
    PrintOnlyOption,
    device_names,
)

if TYPE_CHECKING:
    from ttstack.mlir import ir
    from ttstack.passes.base import PassRun


_TESTS = "Tests of your own"


def opt(
    file: Annotated[
        str, typer.Argument(metavar="FILE", help="An .mlir file, or - for stdin.", show_default=False)
    ] = "",
    pipeline: Annotated[
        str,
        typer.Option(
            "-p",
            "--pipeline",
            metavar="PASSES",
            help="Passes or pipelines: name{key=value ...},name2.",
            rich_help_panel="Passes",
        ),
    ] = "",
    patterns: Annotated[
        list[Path] | None,
        typer.Option(
            "--patterns",
            metavar="FILE",
            help="Apply your own rewrites first (PDL or Python).",
            rich_help_panel="Passes",
        ),
    ] = None,
    verify_patterns: Annotated[
        bool,
        typer.Option(
            "--verify-patterns", help="Test patterns with `keeps_values` on random inputs.", rich_help_panel="Passes"
        ),
    ] = False,
    system_desc: Annotated[
        str | None,
        typer.Option(
            "--system-desc",
            metavar="NAME|PATH",
            help="Attach a device description first.",
            rich_help_panel="Device",
            autocompletion=device_names,
        ),
    ] = None,
    ttnn: Annotated[
        str | None,
        typer.Option(
            "--ttnn", metavar="VERSION", help="With --system-desc: release of ttnn.", rich_help_panel="Device"
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", metavar="FILE", help="File for the IR (default: stdout)."),
    ] = None,
    split_input_file: Annotated[
        bool,
        typer.Option(
            "--split-input-file", help="Process parts between lines `// -----` separately.", rich_help_panel=_TESTS
        ),
    ] = False,
    verify_diagnostics: Annotated[
        bool,
        typer.Option(
            "--verify-diagnostics",
            help="Compare errors with comments `expected-error {{text}}`.",
            rich_help_panel=_TESTS,
        ),
    ] = False,
    allow_unregistered_dialect: Annotated[
        bool,
        typer.Option("--allow-unregistered-dialect", help="Accept ops of unknown dialects.", rich_help_panel=_TESTS),
    ] = False,
    run_reproducer: Annotated[
        bool,
        typer.Option(
            "--run-reproducer", help="Run the passes in the first line of a reproducer.", rich_help_panel="Passes"
        ),
    ] = False,
    dump_ir: Annotated[
        Path | None,
        typer.Option(
            "--dump-ir",
            metavar="DIR",
            help="Write the IR after every pass that changed it.",
            rich_help_panel=DEBUGGING,
        ),
    ] = None,
    dump_ir_diff: DumpDiffOption = False,
    locations: Annotated[bool, typer.Option("--locations", help="Print source locations.")] = False,
    timings: Annotated[
        bool, typer.Option("--timings", help="Print seconds of each pass.", rich_help_panel=DEBUGGING)
    ] = False,
    print_after: PrintAfterOption = "",
    print_only: PrintOnlyOption = "",
    print_device: PrintDeviceOption = False,
    check_values: CheckValuesOption = False,
    check_numerics: CheckNumericsOption = "exact",
    stop_after: StopAfterOption = None,
    explain_rewrites: ExplainRewritesOption = "",
    mlir_timing: MlirTimingOption = False,
    help_debugging: HelpDebuggingOption = False,  # noqa: ARG001  (its callback ends the command)
    as_json: JsonOption = False,
    list_: Annotated[
        bool, typer.Option("--list", help="List passes and pipelines, and exit.", rich_help_panel="Passes")
    ] = False,
) -> None:
    """Run passes on a module and print the IR."""
    from ttstack.cli.opt_parts import ProcessedParts, process_parts, read_parts
    from ttstack.cli.opt_run import OptRun, build_pipeline
    from ttstack.cli.outputs import check_targets
    from ttstack.support.files import write_whole

    if list_:
        from ttstack.cli.passes import all_passes, print_passes

        write_json(all_passes()) if as_json else print_passes(stdout())
        return
    in_parts = split_input_file or verify_diagnostics
    _check_together(
        file,
        verify_alone=verify_patterns and not patterns,
        ttnn_alone=ttnn is not None and not system_desc,
        dumped_parts=split_input_file and dump_ir is not None,
        passes_twice=run_reproducer and bool(pipeline),
    )
    check_targets(output, sources=(file,))
    source = f"{sys.stdin.read()}\n" if file == "-" else file
    instruments = instruments_of(
        print_after,
        mlir_timing,
        print_only,
        print_device,
        dump_ir_diff,
        check_values,
        check_numerics,
        stop_after,
        explain_rewrites,
    )
    if run_reproducer:
        from ttstack.passes.reproducer import reproducer_pipeline

        pipeline = reproducer_pipeline(source if file == "-" else read_parts(file), file)
    opt_run = OptRun(
        partial(build_pipeline, pipeline, patterns or (), system_desc, ttnn, verify=verify_patterns),
        instruments,
        dump_ir,
        [_say] if timings else [],
        locations=locations,
        device=print_device,
        own_device=system_desc is not None and bool(patterns) and not pipeline,
        unregistered=allow_unregistered_dialect,
    )
    if in_parts:
        text, name = (source, "<stdin>") if file == "-" else (read_parts(file), file)
        process = partial(opt_run.process, name=name)
        done = process_parts(text, name, process, split=split_input_file, verify=verify_diagnostics)
    else:
        text, seconds = opt_run.process(source)
        done = ProcessedParts([text], dict(seconds))
    if output is not None:
        write_whole(output, done.text)
    if as_json:
        written = {"file": str(output), "module": None} if output else {"file": None, "module": done.text}
        write_json({**written, "passes": done.seconds, **findings(instruments)})
    else:
        print_findings(instruments)
        if output is None and done.text:
            write(done.text)
    if done.failed:
        raise typer.Exit(1)


def _check_together(file: str, *, verify_alone: bool, ttnn_alone: bool, dumped_parts: bool, passes_twice: bool) -> None:
    if not file:
        raise typer.BadParameter("missing argument 'FILE'")
    if verify_alone:
        raise typer.BadParameter("--verify-patterns goes with --patterns")
    if ttnn_alone:
        raise typer.BadParameter("--ttnn goes with --system-desc")
    if dumped_parts:
        raise typer.BadParameter("--dump-ir is for one module: leave out --split-input-file")
    if passes_twice:
        raise typer.BadParameter("--run-reproducer runs the passes of the file: leave out -p")


def _say(step: "PassRun", _: "ir.Module") -> None:
    stderr().print(f"{1000 * step.seconds:9.1f} ms  {step.step}", soft_wrap=True)
