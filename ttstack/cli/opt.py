"""`ttstack opt`: passes by name, for those who write them."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ttstack.cli.console import stderr, stdout, write, write_json
from ttstack.cli.shared_options import JsonOption, MlirTimingOption, PrintAfterOption, device_names

if TYPE_CHECKING:
    from ttstack.mlir import ir
    from ttstack.passes.base import PassRun


def opt(
    file: Annotated[str, typer.Argument(metavar="FILE", help="A .mlir file, or - for stdin.", show_default=False)] = "",
    pipeline: Annotated[
        str,
        typer.Option("-p", "--pipeline", metavar="PASSES", help="name{key=value ...},name2 of passes or pipelines."),
    ] = "",
    patterns: Annotated[
        list[Path] | None,
        typer.Option("--patterns", metavar="FILE", help="Apply rewrites of your own first, in PDL or Python."),
    ] = None,
    verify_patterns: Annotated[
        bool, typer.Option("--verify-patterns", help="Try those that claim to keep values on random inputs.")
    ] = False,
    system_desc: Annotated[
        str | None,
        typer.Option(
            "--system-desc",
            metavar="NAME|PATH",
            help="Attach this device's description first.",
            autocompletion=device_names,
        ),
    ] = None,
    ttnn: Annotated[
        str | None,
        typer.Option("--ttnn", metavar="VERSION", help="With --system-desc: the release of ttnn that it runs."),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", metavar="FILE", help="Write the IR there; stdout by default."),
    ] = None,
    dump_ir: Annotated[
        Path | None,
        typer.Option("--dump-ir", metavar="DIR", help="Write the module after every pass that changed it."),
    ] = None,
    locations: Annotated[bool, typer.Option("--locations", help="Print source locations.")] = False,
    timings: Annotated[bool, typer.Option("--timings", help="Say how long every pass took.")] = False,
    print_after: PrintAfterOption = "",
    mlir_timing: MlirTimingOption = False,
    as_json: JsonOption = False,
    list_: Annotated[bool, typer.Option("--list", help="List passes and pipelines, and nothing else.")] = False,
) -> None:
    """Run passes on a module and print it."""
    from ttstack.cli.outputs import check_targets
    from ttstack.dialects.text import print_module
    from ttstack.frontends.source import import_model
    from ttstack.passes.attach_system_desc import AttachSystemDesc
    from ttstack.passes.base import Pipeline, parse_pipeline
    from ttstack.passes.functions import SYSTEM_DESC
    from ttstack.passes.instrumented import Instruments
    from ttstack.passes.pipelines import PIPELINES
    from ttstack.passes.rewriting.apply_patterns import ApplyPatterns
    from ttstack.passes.run_timed import run_timed
    from ttstack.support.files import write_whole

    if list_:
        from ttstack.cli.passes import all_passes, print_passes

        write_json(all_passes()) if as_json else print_passes(stdout())
        return
    if not file:
        raise typer.BadParameter("missing argument 'FILE'")
    if verify_patterns and not patterns:
        raise typer.BadParameter("--verify-patterns goes with --patterns")
    if ttnn is not None and system_desc is None:
        raise typer.BadParameter("--ttnn goes with --system-desc")
    check_targets(output, sources=(file,))
    source = f"{sys.stdin.read()}\n" if file == "-" else file
    with import_model(source) as found:
        own = [ApplyPatterns(file=path, verify=verify_patterns) for path in patterns or ()]
        steps = Pipeline((*own, *parse_pipeline(pipeline, PIPELINES).passes))
        if system_desc is not None:
            steps = Pipeline((AttachSystemDesc(system_desc=system_desc, ttnn=ttnn or ""), *steps.passes))
        instruments = Instruments(print_after, mlir_timing)
        seconds = run_timed(
            steps, found.module, hooks=[_say] if timings else [], dump_ir=dump_ir, instruments=instruments
        )
        if system_desc is not None and own and not pipeline:
            del found.module.operation.attributes[SYSTEM_DESC]  # patterns alone were to know it
        text = print_module(found.module, locations=locations)
    if output is not None:
        write_whole(output, text)
    if as_json:
        written = {"file": str(output), "module": None} if output else {"file": None, "module": text}
        write_json({**written, "passes": seconds})
    elif output is None:
        write(text)


def _say(step: "PassRun", _: "ir.Module") -> None:
    stderr().print(f"{1000 * step.seconds:9.1f} ms  {step.step}", soft_wrap=True)
