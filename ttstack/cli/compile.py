"""`ttstack compile`: a model becomes a `.ttb` program."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Unpack

import typer

from ttstack.choices import Choices, WeightStorage
from ttstack.cli.choices import with_choices
from ttstack.cli.console import stderr, stdout, write, write_json
from ttstack.cli.options import JsonOption, ShapesOption
from ttstack.diagnostics import SourceError

if TYPE_CHECKING:
    from ttstack.api import Program


@with_choices
def compile_model(
    model: Annotated[
        str,
        typer.Argument(
            metavar="MODEL", help="A model file, or package.module:factory of a PyTorch model.", show_default=False
        ),
    ],
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", metavar="FILE", help="The program; the model's name with .ttb by default."),
    ] = None,
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
        bool, typer.Option("--effects", help="Say how many ops, bytes and microseconds each pass leaves.")
    ] = False,
    train: Annotated[
        bool,
        typer.Option("--train", help="A step of training: the factory returns what compile_step takes, by name."),
    ] = False,
    timings: Annotated[bool, typer.Option("--timings", help="Say how long every phase took.")] = False,
    as_json: JsonOption = False,
    **choices: Unpack[Choices],
) -> None:
    """Compile a model into a program for a device."""
    from ttstack.api import compile as compile_source
    from ttstack.cli.outputs import check_targets
    from ttstack.cli.progress import show_phases
    from ttstack.training import compile_step

    target = output or Path(program_stem(model)).with_suffix(".ttb")
    check_targets(target, source=Path(model))
    with show_phases() as progress:
        make: Callable[..., Program] = compile_step if train else compile_source
        program = make(
            model,
            read_shapes(inputs) if inputs else None,
            dump_ir=dump_ir,
            keep_ir=keep_ir,
            keep_effects=effects,
            progress=progress,
            **choices,
        )
        start = time.perf_counter()
        program.save(target, weights=weights)
        saved = time.perf_counter() - start
    if effects and not as_json:
        _print_effects(program)
    if timings:
        _print_timings({**program.phases, "save": saved})
    if as_json:
        write_json(_values(program, target, {**program.phases, "save": saved}))
        return
    _print_summary(program, target)
    if "tensor_train" in choices:
        _print_tables(program)


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


def _values(program: "Program", target: Path, phases: Mapping[str, float]) -> dict[str, Any]:
    """The file, seconds of each phase, and the reports without their ops."""
    reports = {f.name: program.cost(f.name).to_dict() for f in program.binary.functions}
    functions = {name: {**report, "ops": len(report["ops"])} for name, report in reports.items()}
    found = {"file": str(target), "bytes": target.stat().st_size, "phases": dict(phases), "functions": functions}
    return found | ({"effects": [asdict(effect) for effect in program.effects]} if program.effects else {})


def _print_effects(program: "Program") -> None:
    """A row for each pass that changed anything, with what it added or took."""
    from ttstack.cli.render import show

    rows: list[dict[str, Any]] = []
    before = None
    for now in program.effects:
        row = {"pass": now.name, "ops": now.ops, "MiB": now.nbytes / 2**20, "µs": now.alone_ns / 1000}
        rows.append(row | {"± µs": 0.0 if before is None else (now.alone_ns - before.alone_ns) / 1000})
        before = now
    show(stderr(), rows)


def _print_timings(phases: Mapping[str, float]) -> None:
    total = sum(phases.values())
    rows = [*phases.items(), ("total", total)]
    width = max(len(name) for name, _ in rows)
    console = stderr()
    for name, seconds in rows:
        console.print(f"{name:{width}}  {1000 * seconds:9.1f} ms", soft_wrap=True)


def _print_tables(program: "Program") -> None:
    from ttstack.report.tensor_trains import trains

    if program.binary.tables:
        stdout().print(trains(program.binary.tables))
    else:
        stderr().print("no parameter is an embedding table: none was compressed", soft_wrap=True)


def _print_summary(program: "Program", target: Path) -> None:
    from ttstack.report.formatting import above, count, duration, percent, size

    nbytes = size(target.stat().st_size)
    for function in program.binary.functions:
        report = program.cost(function.name)
        gap = "" if report.placement_gap is None else f", {above(report.placement_gap)} the optimum"
        name = f"{target}: " if len(program.binary.functions) == 1 else f"{target}, {function.name}: "
        l1 = report.memory["l1"]
        write(
            f"{name}{count(len(report.ops), 'op')}, {duration(report.total_ns)} predicted on {report.system}{gap}, "
            f"L1 at most {size(l1.span)} of {size(l1.capacity)} (no less than {size(l1.peak)}), "
            f"{percent(report.staying)} % of results never leave it, file {nbytes}"
        )
