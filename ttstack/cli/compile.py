"""`ttstack compile`: compiles a model to a `.ttb` program."""

import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Unpack

import typer

from ttstack.cli.compile_options import said_of, with_choices
from ttstack.cli.help import DEBUGGING
from ttstack.cli.rewrites import (
    CheckNumericsOption,
    CheckValuesOption,
    ExplainRewritesOption,
    ReportHtmlOption,
    StopAfterOption,
    instruments_of,
)
from ttstack.cli.shared_options import (
    DumpDiffOption,
    HelpDebuggingOption,
    JsonOption,
    MlirTimingOption,
    PrintAfterOption,
    PrintDeviceOption,
    PrintOnlyOption,
    ShapesOption,
)
from ttstack.diagnostics import OutputError, SourceError
from ttstack.options.choices import Blas, Choices, Phase, Target, WeightStorage

_FILES = "Input and output"


@with_choices
def compile_model(
    context: typer.Context,
    model: Annotated[
        str | None,
        typer.Argument(
            metavar="MODEL",
            help="Model file, or package.module:factory of PyTorch.",
            show_default=False,
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--output",
            metavar="FILE",
            help="Program to write (default: by the model's name).",
            rich_help_panel=_FILES,
        ),
    ] = None,
    compile_to: Annotated[
        Phase | None,
        typer.Option(
            "--compile-to",
            metavar="PHASE",
            help=f"Stop after a phase and write its IR: {', '.join(Phase)}.",
            rich_help_panel=_FILES,
        ),
    ] = None,
    compile_from: Annotated[
        Path | None,
        typer.Option(
            "--compile-from",
            metavar="FILE",
            help="Continue from IR that --compile-to wrote.",
            rich_help_panel=_FILES,
        ),
    ] = None,
    made_for: Annotated[
        Target,
        typer.Option(
            "--target",
            metavar="TARGET",
            help="device (default), or cpu: object code for this CPU.",
            show_default=False,
            rich_help_panel="Device",
        ),
    ] = Target.DEVICE,
    blas: Annotated[
        Blas | None,
        typer.Option(
            "--blas",
            metavar="LIBRARY",
            help="With --target cpu: matmuls by openblas or scipy.",
            rich_help_panel="Device",
        ),
    ] = None,
    openmp: Annotated[
        bool,
        typer.Option("--openmp", help="With --target cpu: run loops on several threads.", rich_help_panel="Device"),
    ] = False,
    inputs: ShapesOption = None,
    weights: Annotated[
        WeightStorage,
        typer.Option(
            "--weights",
            metavar="PLACE",
            help="inline, beside (separate file) or auto (default).",
            show_default=False,
            rich_help_panel=_FILES,
        ),
    ] = "auto",
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
    keep_ir: Annotated[
        bool, typer.Option("--keep-ir", help="Store the text of the IR in the program.", rich_help_panel=_FILES)
    ] = False,
    effects: Annotated[
        bool,
        typer.Option(
            "--effects",
            help="Print ops, bytes, time and rewrites of each pass.",
            rich_help_panel=DEBUGGING,
        ),
    ] = False,
    decisions: Annotated[
        Path | None,
        typer.Option(
            "--decisions",
            metavar="FILE",
            help="Write all candidates of placement, with reasons.",
            rich_help_panel=DEBUGGING,
        ),
    ] = None,
    train: Annotated[
        bool,
        typer.Option(
            "--train",
            help="Compile a training step: the factory returns a dict of the arguments of compile_step.",
            rich_help_panel=_FILES,
        ),
    ] = False,
    timings: Annotated[
        bool,
        typer.Option("--timings", help="Print seconds and rewrites of each pass.", rich_help_panel=DEBUGGING),
    ] = False,
    print_after: PrintAfterOption = "",
    print_only: PrintOnlyOption = "",
    print_device: PrintDeviceOption = False,
    check_values: CheckValuesOption = False,
    check_numerics: CheckNumericsOption = "exact",
    stop_after: StopAfterOption = None,
    explain_rewrites: ExplainRewritesOption = "",
    report_html: ReportHtmlOption = None,
    mlir_timing: MlirTimingOption = False,
    help_debugging: HelpDebuggingOption = False,  # noqa: ARG001  (its callback ends the command)
    as_json: JsonOption = False,
    **choices: Unpack[Choices],
) -> None:
    """Compile a model into a program for a device."""
    from ttstack.cli.compile_native import check_target, refuse_instruments
    from ttstack.cli.compiled import say_phase, say_program, write_findings
    from ttstack.cli.outputs import check_targets
    from ttstack.cli.phases import check_options, lower, program_maker
    from ttstack.cli.progress import show_phases

    ways = {"blas": blas, "openmp": openmp}
    of_devices = {
        "--compile-to": compile_to,
        "--compile-from": compile_from,
        "--keep-ir": keep_ir,
        "--effects": effects,
        "--decisions": decisions,
        "--weights": weights != "auto",
    }
    check_target(made_for, choices, of_devices, ways)
    if made_for is Target.CPU:
        refuse_instruments({"--print-after": print_after, "--mlir-timing": mlir_timing})
        flags = {"train": train, "timings": timings, "as_json": as_json}
        _for_processor(model, output, inputs, dump_ir, choices, ways, **flags)
        return
    of_programs = bool(keep_ir or effects or decisions or report_html)
    source = check_options(model, compile_from, compile_to, choices, train=train, of_programs=of_programs)
    target = output or _default_target(source, compile_from, compile_to)
    beside, read = _values_of(target, compile_to), (source, *_values_of(compile_from, compile_to))
    check_targets(target, decisions, *beside, sources=read, program=None if compile_to else target)
    _check_name(target, compile_to)
    shapes = read_shapes(inputs) if inputs else None
    chosen = said_of(context, choices) if compile_from else choices
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
        report_html,
    )
    how: dict[str, Any] = {"dump_ir": report_html / "ir" if report_html else dump_ir, "instruments": instruments}
    if compile_to is not None:
        with show_phases(quiet=bool(print_after or mlir_timing)) as progress:
            lowered = lower(source, compile_from, compile_to, shapes, chosen, train=train, progress=progress, **how)
            lowered.save(target)
        say_phase(lowered, target, compile_to, instruments, timings=timings, as_json=as_json)
        return
    how |= {"keep_ir": keep_ir, "keep_effects": bool(effects or report_html)}
    how |= {"keep_decisions": bool(decisions or report_html)}
    with show_phases(quiet=bool(print_after or mlir_timing)) as progress:
        make = program_maker(source, compile_from, shapes, chosen, train=train)
        program = make(progress=progress, **how)
        start = time.perf_counter()
        files = program.save(target, weights=weights)
        phases = {**program.phases, "save": time.perf_counter() - start}
    files += write_findings(program, instruments, decisions, report_html)
    tables = "tensor_train" in choices
    say_program(program, files, phases, instruments, timings=timings, as_json=as_json, tables=tables)


def _for_processor(
    model: str | None,
    output: Path | None,
    inputs: Sequence[str] | None,
    dump_ir: Path | None,
    choices: Choices,
    ways: Mapping[str, Any],
    **flags: bool,
) -> None:
    from ttstack.cli.compile_native import compile_native

    if model is None:
        raise SourceError("there is no model", hint="name a file, or package.module:factory of a PyTorch model")
    target = output or Path(program_stem(model)).with_suffix(".o")
    shapes = read_shapes(inputs) if inputs else None
    compile_native(model, target, shapes, dump_ir, choices.get("function"), ways, **flags)


def _default_target(source: str, start: Path | None, end: Phase | None) -> Path:
    """Return the model's name with the phase: `bert.placed.mlir`, or `bert.ttb`."""
    stem = program_stem(source)
    for phase in Phase if start else ():
        stem = stem.removesuffix(f".{phase}")
    return Path(f"{stem}.{end}.mlir" if end else f"{stem}.ttb")


def _check_name(target: Path, end: Phase | None) -> None:
    """Raise an error if a program's name has the ending of a model or of CPU code; phases accept any."""
    from ttstack.frontends.readers import FILES
    from ttstack.targets.cpu.compile import ENDINGS

    taken = (ENDINGS, *(kind.suffixes for kind in FILES))
    if end is None and any(target.suffix in endings for endings in taken):
        raise OutputError(
            f"'{target}' is not a name of a program",
            hint=f"end it with .ttb; --target cpu writes {', '.join(ENDINGS)}, and --compile-to writes .mlir",
        )


def _values_of(text: Path | None, end: Phase | None) -> tuple[Path, ...]:
    """Return the files with the values of a phase's text; none otherwise."""
    from ttstack.partial import values_beside

    return (values_beside(text),) if text and end else ()


def read_shapes(given: Sequence[str]) -> dict[str, str]:
    """Parse shapes by the input's name, which may contain `=`."""
    pairs = [text.rpartition("=") for text in given]
    if wrong := [text for text, (name, _, _) in zip(given, pairs, strict=True) if not name]:
        raise SourceError(f"--input {wrong[0]} names no input", hint="write NAME=SHAPE, as in x=1x3x224x224")
    return {name: shape for name, _, shape in pairs}


def program_stem(model: str) -> str:
    """Return the file's name without its ending; for a factory, its module and name: `bert_small`."""
    path, (module, colon, factory) = Path(model), model.rpartition(":")
    return path.stem if path.exists() or not colon else f"{module.rpartition('.')[2]}_{factory}"
