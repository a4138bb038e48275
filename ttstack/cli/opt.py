"""`ttstack opt`: passes by name, for those who write them."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ttstack.cli.console import stderr, stdout, write

if TYPE_CHECKING:
    from ttstack.mlir import ir
    from ttstack.passes.base import Hook, Pipeline


def _list_passes(wanted: bool) -> None:
    if wanted:
        from ttstack.cli.passes import print_passes

        print_passes(stdout())
        raise typer.Exit


def opt(
    file: Annotated[str, typer.Argument(metavar="FILE", help="A .mlir file, or - for stdin.", show_default=False)],
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
        typer.Option("--system-desc", metavar="NAME|PATH", help="Attach this device's description first."),
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
    print_after: Annotated[
        str | None,
        typer.Option(
            "--print-after",
            metavar="NAME,NAME|all|changed",
            help="Print the module after passes of these names; after all, or those that changed it, MLIR prints it.",
        ),
    ] = None,
    mlir_timing: Annotated[
        bool, typer.Option("--mlir-timing", help="MLIR's own report of times, with analyses, of all passes.")
    ] = False,
    list_: Annotated[  # noqa: ARG001  (acted on by its callback)
        bool,
        typer.Option("--list", callback=_list_passes, is_eager=True, help="List passes and pipelines and leave."),
    ] = False,
) -> None:
    """Run passes on a module and print it."""
    from ttstack.cli.outputs import check_targets
    from ttstack.files import write_whole
    from ttstack.frontends.source import import_model
    from ttstack.frontends.text import print_module
    from ttstack.passes.apply_patterns import ApplyPatterns
    from ttstack.passes.attach_system_desc import AttachSystemDesc
    from ttstack.passes.base import Pipeline, parse_pipeline
    from ttstack.passes.instrumented import Printed, print_hook, run_instrumented
    from ttstack.passes.pipelines import PIPELINES

    if (mlir_timing or print_after in _BY_MLIR) and (dump_ir or timings or (mlir_timing and _is_named(print_after))):
        raise typer.BadParameter("what MLIR reports itself goes without --dump-ir, --timings and passes by name")
    if verify_patterns and not patterns:
        raise typer.BadParameter("--verify-patterns goes with --patterns")
    check_targets(output, sources=(file,))
    source = f"{sys.stdin.read()}\n" if file == "-" else file
    with import_model(source) as found:
        own = [ApplyPatterns(file=path, verify=verify_patterns) for path in patterns or ()]
        steps = Pipeline((*own, *parse_pipeline(pipeline, PIPELINES).passes))
        if system_desc is not None:
            steps = Pipeline((AttachSystemDesc(system_desc=system_desc), *steps.passes))
        if mlir_timing or print_after in _BY_MLIR:
            printed: Printed | None = "changed" if print_after == "changed" else "all" if print_after == "all" else None
            run_instrumented(steps, found.module, timing=mlir_timing, printed=printed)
        else:
            names = _titles(print_after, steps)
            steps.run(found.module, after=[*_hooks(found.module, dump_ir, timings), print_hook(names, _say)])
        text = print_module(found.module, locations=locations)
    if output is None:
        write(text)
    else:
        write_whole(output, text)


_BY_MLIR = ("all", "changed")


def _is_named(print_after: str | None) -> bool:
    return print_after is not None and print_after not in _BY_MLIR


def _titles(print_after: str | None, steps: "Pipeline") -> frozenset[str]:
    """Names of passes, each of which the pipeline has."""
    from ttstack.diagnostics import PassOptionError
    from ttstack.suggestion import did_you_mean

    names, known = (print_after or "").split(",") if print_after else [], [step.title for step in steps.passes]
    if wrong := [name for name in names if name not in known]:
        hint = did_you_mean(wrong[0], known) or f"it has {', '.join(dict.fromkeys(known)) or 'none'}"
        raise PassOptionError(f"--print-after: no pass of the pipeline is called '{wrong[0]}'", hint=hint)
    return frozenset(names)


def _say(text: str) -> None:
    stderr().print(text, soft_wrap=True, markup=False, highlight=False)


def _hooks(module: "ir.Module", dump_ir: Path | None, timings: bool) -> "list[Hook]":
    from ttstack.passes.base import PassRun
    from ttstack.passes.dump import dump_hook

    console = stderr()

    def say(step: PassRun, _: "ir.Module") -> None:
        console.print(f"{1000 * step.seconds:9.1f} ms  {step.step}", soft_wrap=True)

    return ([dump_hook(dump_ir, module)] if dump_ir else []) + ([say] if timings else [])
