"""`ttstack run`: execution of a program by NumPy, or as CPU code."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ttstack.cli.console import write_json
from ttstack.cli.golden import GoldenOption, MinPccOption, PerOpOption
from ttstack.cli.report import ReportView
from ttstack.cli.run_module import ENDINGS, run_module_file
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
    SortOption,
    TopOption,
    TraceOption,
)
from ttstack.options.choices import Engine, Numerics

if TYPE_CHECKING:
    from ttstack.cli.steps import StepResults
    from ttstack.compiled_program import Program
    from ttstack.compiled_run import Run

_VALUES, _EXECUTION = "Values", "Execution"


def run_program(
    file: ProgramFile,
    inputs: Annotated[
        Path | None,
        typer.Option(
            "--inputs",
            metavar="FILE",
            help="Values by name, .npz or .safetensors (default: random).",
            rich_help_panel=_VALUES,
        ),
    ] = None,
    weights: Annotated[
        Path | None,
        typer.Option(
            "--weights",
            metavar="FILE",
            help="Of a module: values of parameters, .safetensors (default: random).",
            rich_help_panel=_VALUES,
        ),
    ] = None,
    seed: Annotated[
        int, typer.Option("--seed", min=0, metavar="N", help="Seed of random inputs.", rich_help_panel=_VALUES)
    ] = 0,
    numerics: Annotated[
        Numerics,
        typer.Option(
            "--numerics",
            metavar="KIND",
            help="ieee (default): the model's types; device: the device's formats.",
            show_default=False,
            rich_help_panel=_EXECUTION,
        ),
    ] = "ieee",
    engine: Annotated[
        Engine,
        typer.Option(
            "--engine",
            metavar="ENGINE",
            help="numpy (default), or cpu: code compiled for this CPU by cc.",
            show_default=False,
            rich_help_panel=_EXECUTION,
        ),
    ] = "numpy",
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            metavar="FILE",
            help="Write outputs and updated values as .npz.",
            show_default=False,
            rich_help_panel=_VALUES,
        ),
    ] = None,
    golden: GoldenOption = None,
    per_op: PerOpOption = False,
    min_pcc: MinPccOption = 0.99,
    function: FunctionName = None,
    steps: Annotated[
        int | None,
        typer.Option(
            "--steps",
            min=1,
            metavar="N",
            help="Run N times, each from the state of the last run; inputs with one more dimension are batches.",
            show_default=False,
            rich_help_panel=_EXECUTION,
        ),
    ] = None,
    state: Annotated[
        Path | None,
        typer.Option(
            "--state",
            metavar="FILE",
            help="With --steps: start from this .safetensors file if it exists, and write the state to it.",
            show_default=False,
            rich_help_panel=_EXECUTION,
        ),
    ] = None,
    perf: Annotated[
        bool, typer.Option("--perf", help="Print the predicted time, as `ttstack perf`.", rich_help_panel="Table")
    ] = False,
    cost_only: Annotated[
        bool, typer.Option("--cost-only", help="Predict the time without executing.", rich_help_panel="Table")
    ] = False,
    all_ops: AllOption = False,
    sort: SortOption = None,
    top: TopOption = None,
    group_by: GroupOption = None,
    depth: DepthOption = None,
    every_op: EveryOpOption = False,
    calls: CallsOption = False,
    as_json: JsonOption = False,
    csv: CsvOption = None,
    html: HtmlOption = None,
    trace_json: TraceOption = None,
) -> None:
    """Execute a program on a simulated device.

    NumPy computes the values, and every buffer is checked at its address. --engine cpu compiles the function for this
    CPU: slower to start, faster to run. Inputs and parameters that the program writes to, such as KV caches, are
    printed and written as updated; with --steps each run continues from them. With --golden the outputs are compared
    with those of a file or of the model; the exit code is 1 if one differs. FILE can be MLIR text of any phase, such as
    a file of --dump-ir: its values are computed, without a prediction.
    """
    view = ReportView(sort, top, group_by, depth, every_op, calls, all_ops)
    _check_together(view, cost_only=cost_only, values=bool(inputs or output or steps), printed=perf or cost_only)
    if (golden or per_op) and (steps or cost_only):
        raise typer.BadParameter("compares one run; leave out --steps and --cost-only", param_hint="--golden, --per-op")
    if state is not None and (steps is None or state.suffix != ".safetensors"):
        raise typer.BadParameter("give a .safetensors file, together with --steps", param_hint="--state")
    if file.suffix in ENDINGS:
        others = [steps, perf, cost_only, per_op, csv, html, trace_json, view.rows, engine != "numpy"]
        values = (weights, inputs, seed, numerics, output, golden, min_pcc, function)
        return run_module_file(file, *values, others=any(others), as_json=as_json)
    from ttstack.api import load
    from ttstack.cli.golden import compare_run
    from ttstack.cli.outputs import check_targets, print_paths
    from ttstack.cli.report import print_report, report_dict, write_files
    from ttstack.cli.steps import run_steps
    from ttstack.cli.values import summaries

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
    compared = compare_run(program, done, golden, inputs, seed, function, per_op=per_op, min_pcc=min_pcc)
    written = write_files(program, report, csv, html, trace_json, group_by)
    written += _write_output(done, output)
    if as_json:
        rows = {"steps": taken.rows()} if taken else {}
        write_json(rows | summaries(done) | compared.values() | {"report": report_dict(report, view)})
        return compared.end()
    _print_values(done, taken)
    compared.show()
    print_paths(written)
    if perf or cost_only or group_by:
        print_report(program, report, view, file)
    return compared.end()


def _check_together(view: ReportView, *, cost_only: bool, values: bool, printed: bool) -> None:
    """Raise `typer.BadParameter` for options that cannot be combined."""
    if cost_only and values:
        raise typer.BadParameter(
            "it computes no values; leave out --inputs, --output and --steps", param_hint="--cost-only"
        )
    if view.rows and not printed and view.group_by is None:
        raise typer.BadParameter("--sort, --top and --all are of the table of ops: it is printed with --perf")


def _write_output(done: "Run | None", target: Path | None) -> list[Path]:
    """Write outputs and updated values; return the files."""
    from ttstack.cli.outputs import together, write_arrays

    if done is None or target is None:
        return []
    write_arrays(target, together(done.outputs, done.updated))
    return [target]


def _print_values(done: "Run | None", taken: "StepResults | None") -> None:
    from ttstack.cli.values import print_steps, print_values

    if taken is not None:
        print_steps(taken)
    elif done is not None:
        print_values(done)


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
        return program.run(values, seed=seed, numerics=numerics, function=function, progress=progress, engine=engine)
