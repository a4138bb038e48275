"""`ttstack compile`: a model becomes a `.ttb` program."""

import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Unpack

import typer

from ttstack.cli.compile_options import said_of, with_choices
from ttstack.cli.shared_options import JsonOption, MlirTimingOption, PrintAfterOption, ShapesOption
from ttstack.diagnostics import OutputError, SourceError
from ttstack.options.choices import Blas, Choices, Phase, Target, WeightStorage


@with_choices
def compile_model(
    context: typer.Context,
    model: Annotated[
        str | None,
        typer.Argument(
            metavar="MODEL", help="A model file, or package.module:factory of a PyTorch model.", show_default=False
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", metavar="FILE", help="The program; the model's name with .ttb by default."),
    ] = None,
    compile_to: Annotated[
        Phase | None,
        typer.Option("--compile-to", help="Stop there, and write the text of the module instead of a program."),
    ] = None,
    compile_from: Annotated[
        Path | None,
        typer.Option("--compile-from", metavar="FILE", help="Go on from what --compile-to wrote, instead of a model."),
    ] = None,
    made_for: Annotated[
        Target,
        typer.Option("--target", help="A device, or this machine's processor: an object file (.o, .so, .ll, .mlir)."),
    ] = Target.DEVICE,
    blas: Annotated[
        Blas | None,
        typer.Option(
            "--blas", help="With --target cpu: the library that multiplies matrices; loops of our own without."
        ),
    ] = None,
    openmp: Annotated[
        bool, typer.Option("--openmp", help="With --target cpu: threads share loops, by LLVM's runtime of OpenMP.")
    ] = False,
    inputs: ShapesOption = None,
    weights: Annotated[
        WeightStorage,
        typer.Option("--weights", help="Values of weights: in the file, in one beside it, or by size."),
    ] = "auto",
    dump_ir: Annotated[
        Path | None,
        typer.Option("--dump-ir", metavar="DIR", help="Write the module after every pass that changed it."),
    ] = None,
    keep_ir: Annotated[bool, typer.Option("--keep-ir", help="Keep the text of the IR in the program.")] = False,
    effects: Annotated[
        bool,
        typer.Option("--effects", help="Print what stages and passes leave: ops, bytes, time; and their rewrites."),
    ] = False,
    decisions: Annotated[
        Path | None,
        typer.Option("--decisions", metavar="FILE", help="Write all candidates of placement, and why one was taken."),
    ] = None,
    train: Annotated[
        bool,
        typer.Option("--train", help="A step of training: the factory returns what compile_step takes, by name."),
    ] = False,
    timings: Annotated[
        bool,
        typer.Option("--timings", help="Print seconds of phases, stages and passes; and their rewrites."),
    ] = False,
    print_after: PrintAfterOption = "",
    mlir_timing: MlirTimingOption = False,
    as_json: JsonOption = False,
    **choices: Unpack[Choices],
) -> None:
    """Compile a model into a program for a device."""
    from ttstack.cli.compile_native import check_target, refuse_instruments
    from ttstack.cli.compiled import say_phase, say_program, write_decisions
    from ttstack.cli.outputs import check_targets
    from ttstack.cli.phases import check_options, lower, program_maker
    from ttstack.cli.progress import show_phases
    from ttstack.passes.instrumented import Instruments

    ways = {"blas": blas, "openmp": openmp}
    of_devices = {"--compile-to": compile_to, "--compile-from": compile_from}
    of_devices |= {"--keep-ir": keep_ir, "--effects": effects, "--decisions": decisions}
    of_devices |= {"--weights": weights != "auto"}
    check_target(made_for, choices, of_devices, ways)
    if made_for is Target.CPU:
        refuse_instruments({"--print-after": print_after, "--mlir-timing": mlir_timing})
        flags = {"train": train, "timings": timings, "as_json": as_json}
        _for_processor(model, output, inputs, dump_ir, choices, ways, **flags)
        return
    source = check_options(
        model, compile_from, compile_to, choices, train=train, of_programs=keep_ir or effects or decisions is not None
    )
    target = output or _default_target(source, compile_from, compile_to)
    beside, read = _values_of(target, compile_to), (source, *_values_of(compile_from, compile_to))
    check_targets(target, decisions, *beside, sources=read, program=None if compile_to else target)
    _check_name(target, compile_to)
    shapes = read_shapes(inputs) if inputs else None
    chosen = said_of(context, choices) if compile_from else choices
    instruments = Instruments(print_after, mlir_timing) if print_after or mlir_timing else None
    how: dict[str, Any] = {"dump_ir": dump_ir, "instruments": instruments}
    if compile_to is not None:
        with show_phases(quiet=instruments is not None) as progress:
            lowered = lower(source, compile_from, compile_to, shapes, chosen, train=train, progress=progress, **how)
            lowered.save(target)
        say_phase(lowered, target, compile_to, timings=timings, as_json=as_json)
        return
    how |= {"keep_ir": keep_ir, "keep_effects": effects, "keep_decisions": decisions is not None}
    with show_phases(quiet=instruments is not None) as progress:
        make = program_maker(source, compile_from, shapes, chosen, train=train)
        program = make(progress=progress, **how)
        start = time.perf_counter()
        program.save(target, weights=weights)
        phases = {**program.phases, "save": time.perf_counter() - start}
    if decisions is not None:
        write_decisions(program, decisions)
    say_program(program, target, phases, timings=timings, as_json=as_json, tables="tensor_train" in choices)


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
    """The name of the model, with the phase that it comes to: `bert.placed.mlir`, or `bert.ttb`."""
    stem = program_stem(source)
    for phase in Phase if start else ():
        stem = stem.removesuffix(f".{phase}")
    return Path(f"{stem}.{end}.mlir" if end else f"{stem}.ttb")


def _check_name(target: Path, end: Phase | None) -> None:
    """A program has no name that says it is a model or code of a processor; texts of phases have any."""
    from ttstack.frontends.readers import FILES
    from ttstack.targets.cpu.compile import ENDINGS

    taken = (ENDINGS, *(kind.suffixes for kind in FILES))
    if end is None and any(target.suffix in endings for endings in taken):
        raise OutputError(
            f"'{target}' is no name of a program",
            hint=f"end it with .ttb; --target cpu writes {', '.join(ENDINGS)}, and --compile-to writes .mlir",
        )


def _values_of(text: Path | None, end: Phase | None) -> tuple[Path, ...]:
    """Where the values of a phase's text lie; of nothing else."""
    from ttstack.partial import values_beside

    return (values_beside(text),) if text and end else ()


def read_shapes(given: Sequence[str]) -> dict[str, str]:
    """Spelled shapes by the input's name, which may hold a `=` itself."""
    pairs = [text.rpartition("=") for text in given]
    if wrong := [text for text, (name, _, _) in zip(given, pairs, strict=True) if not name]:
        raise SourceError(f"--input {wrong[0]} names no input", hint="write NAME=SHAPE, as in x=1x3x224x224")
    return {name: shape for name, _, shape in pairs}


def program_stem(model: str) -> str:
    """The file's name without its ending; of a factory, its module's and its own: `bert_small`."""
    path, (module, colon, factory) = Path(model), model.rpartition(":")
    return path.stem if path.exists() or not colon else f"{module.rpartition('.')[2]}_{factory}"
