"""`ttstack compile`: a model becomes a `.ttb` program."""

import time
from collections.abc import Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ttstack.cli.console import stderr, stdout, write
from ttstack.diagnostics import SourceError

if TYPE_CHECKING:
    from ttstack.api import Program


class Placement(StrEnum):
    """Where tensors go."""

    GREEDY = "greedy"
    OPTIMAL = "optimal"
    DRAM = "dram"


class Format(StrEnum):
    """Format of real numbers on the device."""

    F32 = "f32"
    BF16 = "bf16"
    BFP8_B = "bfp8_b"
    BFP4_B = "bfp4_b"


class Weights(StrEnum):
    """Where the values of weights go."""

    AUTO = "auto"
    INLINE = "inline"
    BESIDE = "beside"


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
    inputs: Annotated[
        list[str] | None,
        typer.Option(
            "--input",
            metavar="NAME=SHAPE",
            help="Shape of an input, where the model leaves it open, as x=1x3x224x224; once for each input.",
            show_default=False,
        ),
    ] = None,
    function: Annotated[
        str | None,
        typer.Option(
            "--function",
            metavar="NAME",
            help="Compile this function of a module, public or private, instead of all public ones.",
            show_default=False,
        ),
    ] = None,
    system_desc: Annotated[
        str, typer.Option("--system-desc", metavar="NAME|PATH", help="The device: a YAML file, else a preset.")
    ] = "wormhole",
    placement: Annotated[
        Placement,
        typer.Option("--placement", help="Place op by op, all ops together within a proven gap, or all in DRAM."),
    ] = Placement.GREEDY,
    placement_budget: Annotated[
        float | None,
        typer.Option("--placement-budget", metavar="SECONDS", help="Time for --placement optimal; 60 by default."),
    ] = None,
    placement_nodes: Annotated[
        int | None,
        typer.Option(
            "--placement-nodes",
            metavar="COUNT",
            help="Nodes that --placement optimal searches instead, for the same program on every machine.",
            show_default=False,
        ),
    ] = None,
    placement_caution: Annotated[
        float,
        typer.Option(
            "--placement-caution",
            metavar="NUMBER",
            help="How much of what a prediction may be wrong by counts against shards and L1; 0: not at all.",
        ),
    ] = 1.0,
    overrides: Annotated[
        Path | None,
        typer.Option("--overrides", metavar="FILE", help="YAML or JSON that fixes the placement of some ops."),
    ] = None,
    dtype: Annotated[
        Format | None,
        typer.Option("--dtype", help="Format of real numbers on the device; the model's own by default."),
    ] = None,
    tensor_train: Annotated[
        str | None,
        typer.Option(
            "--tensor-train",
            metavar="SETTINGS|PATH",
            help="Compress embedding tables: rel_error=0.05, max_bytes=4MiB, ranks=32, min_rows=100000, "
            "or a YAML file that says it table by table.",
            show_default=False,
        ),
    ] = None,
    weights_dtype: Annotated[
        Format | None,
        typer.Option("--weights-dtype", help="Format of weights on the device; that of all else by default."),
    ] = None,
    weights: Annotated[
        Weights,
        typer.Option("--weights", help="Values of weights: in the file, in one beside it, or by size."),
    ] = Weights.AUTO,
    dump_ir: Annotated[
        Path | None,
        typer.Option("--dump-ir", metavar="DIR", help="Write the module after every pass that changed it."),
    ] = None,
    keep_ir: Annotated[bool, typer.Option("--keep-ir", help="Keep the text of the IR in the program.")] = False,
    timings: Annotated[bool, typer.Option("--timings", help="Say how long every phase took.")] = False,
) -> None:
    """Compile a model into a program for a device."""
    from ttstack.api import compile as compile_source
    from ttstack.cli.outputs import check_targets
    from ttstack.cli.progress import phases_shown

    target = output or Path(_stem(model)).with_suffix(".ttb")
    check_targets(target, source=Path(model))
    with phases_shown() as progress:
        program = compile_source(
            model,
            _shapes(inputs) if inputs else None,
            function=function,
            system_desc=system_desc,
            placement=placement.value,
            dtype=dtype.value if dtype else None,
            tensor_train=tensor_train,
            weights_dtype=weights_dtype.value if weights_dtype else None,
            placement_budget=placement_budget,
            placement_nodes=placement_nodes,
            placement_caution=placement_caution,
            overrides=overrides,
            dump_ir=dump_ir,
            keep_ir=keep_ir,
            progress=progress,
        )
        start = time.perf_counter()
        program.save(target, weights=weights.value)
        saved = time.perf_counter() - start
    if timings:
        _print_timings({**program.phases, "save": saved})
    _print_summary(program, target)
    if tensor_train:
        _print_tables(program)


def _shapes(given: Sequence[str]) -> dict[str, str]:
    """Spelled shapes by the input's name, which may hold a `=` itself."""
    pairs = [text.rpartition("=") for text in given]
    if wrong := [text for text, (name, _, _) in zip(given, pairs, strict=True) if not name]:
        raise SourceError(f"--input {wrong[0]} names no input", hint="write NAME=SHAPE, as in x=1x3x224x224")
    return {name: shape for name, _, shape in pairs}


def _stem(model: str) -> str:
    path = Path(model)
    return path.stem if path.exists() or ":" not in model else model.rpartition(":")[2]


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
