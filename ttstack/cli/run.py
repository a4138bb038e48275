"""`ttstack run`: execute a program on NumPy, or as code of this machine's processor."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ttstack.cli.console import write_json
from ttstack.cli.shared_options import (
    CsvOption,
    DepthOption,
    EveryOpOption,
    FunctionName,
    GroupOption,
    HtmlOption,
    JsonOption,
    ProgramFile,
    SortOption,
    SortOrder,
    TopOption,
    TraceOption,
)
from ttstack.options.choices import Engine, Numerics

if TYPE_CHECKING:
    from ttstack.cli.steps import StepResults
    from ttstack.compiled_program import Program, Run


def run_program(
    file: ProgramFile,
    inputs: Annotated[
        Path | None,
        typer.Option("--inputs", metavar="FILE", help="Values by name, .npz or .safetensors; random ones by default."),
    ] = None,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Of random inputs.")] = 0,
    numerics: Annotated[
        Numerics, typer.Option("--numerics", help="Compute in the model's element types, or in the device's formats.")
    ] = "ieee",
    engine: Annotated[
        Engine,
        typer.Option("--engine", help="What computes: NumPy, or code compiled for this processor, which needs cc."),
    ] = "numpy",
    output: Annotated[
        Path | None,
        typer.Option("--output", metavar="FILE", help="Write outputs and updated values as .npz.", show_default=False),
    ] = None,
    function: FunctionName = None,
    steps: Annotated[
        int | None,
        typer.Option(
            "--steps",
            min=1,
            metavar="N",
            help="Run N times, each from the state that the last run left. Inputs with one more dimension are batches.",
            show_default=False,
        ),
    ] = None,
    state: Annotated[
        Path | None,
        typer.Option(
            "--state",
            metavar="FILE",
            help="With --steps: go on from this .safetensors file where it is there, and write to it.",
            show_default=False,
        ),
    ] = None,
    perf: Annotated[bool, typer.Option("--perf", help="Print the predicted time of every op.")] = False,
    cost_only: Annotated[
        bool, typer.Option("--cost-only", help="Predict the time of every op and execute nothing.")
    ] = False,
    sort: SortOption = SortOrder.ORDER,
    top: TopOption = None,
    group_by: GroupOption = None,
    depth: DepthOption = None,
    every_op: EveryOpOption = False,
    as_json: JsonOption = False,
    csv: CsvOption = None,
    html: HtmlOption = None,
    trace_json: TraceOption = None,
) -> None:
    """Execute a program on a simulated device.

    Values are computed on NumPy; every buffer is checked at the address that it was given. With --engine cpu the
    function is compiled for this machine's processor and called: that takes a while once, and is fast then. Inputs and
    parameters that the program writes to, such as caches of keys and values, are shown and written as updated. With
    --steps they are the state that each run goes on from: a step of training is run many times.
    """
    if cost_only and (inputs or output or steps):
        raise typer.BadParameter(
            "it computes no values; leave out --inputs, --output and --steps", param_hint="--cost-only"
        )
    _check_table(bool(perf or cost_only or group_by), sort, top)
    if state is not None and (steps is None or state.suffix != ".safetensors"):
        raise typer.BadParameter("give a .safetensors file, together with --steps", param_hint="--state")
    from ttstack.api import load
    from ttstack.cli.outputs import check_targets, together, write_arrays
    from ttstack.cli.report import check_depth, print_report, report_dict, write_files
    from ttstack.cli.steps import run_steps
    from ttstack.cli.values import print_steps, print_values, summaries

    deep = check_depth(group_by, depth)
    check_targets(output, csv, html, trace_json, state, sources=(file, inputs))
    program = load(file)
    done: Run | None = None
    taken: StepResults | None = None
    if cost_only:
        report = program.cost(function)
    elif steps:
        taken = run_steps(program, steps, inputs, state, seed, numerics, function, engine)
        done = taken.last
        report = done.report
    else:
        done = _execute(program, inputs, seed, numerics, function, engine)
        report = done.report
    if done is not None and output is not None:
        write_arrays(output, together(done.outputs, done.updated))
    write_files(program, report, csv, html, trace_json, group_by)
    if as_json:
        rows = {"steps": taken.rows()} if taken else {}
        write_json(rows | summaries(done) | {"report": report_dict(report, group_by, deep)})
        return
    if taken is not None:
        print_steps(taken)
    elif done is not None:
        print_values(done)
    if perf or cost_only or group_by:
        print_report(report, sort, top, group_by, deep, every_op=every_op)


def _check_table(printed: bool, sort: SortOrder, top: int | None) -> None:
    if not printed and (sort is not SortOrder.ORDER or top is not None):
        raise typer.BadParameter("--sort and --top are of the table of ops: it is printed with --perf")


def _execute(
    program: "Program",
    inputs: Path | None,
    seed: int,
    numerics: Numerics,
    function: str | None,
    engine: Engine,
) -> "Run":
    from ttstack.cli.progress import show_ops

    values = None
    if inputs is not None:
        from ttstack_runtime.inputs import load_inputs

        values = load_inputs(inputs, program.function(function))
    with show_ops() as progress:
        return program.run(values, seed, numerics, function=function, progress=progress, engine=engine)
