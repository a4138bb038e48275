"""`ttstack run`: execute a program on NumPy."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ttstack.choices import Numerics
from ttstack.cli.console import stdout, write_json
from ttstack.cli.options import (
    CsvOption,
    DepthOption,
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

if TYPE_CHECKING:
    import numpy as np

    from ttstack.api import Program, Run


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
    output: Annotated[
        Path | None,
        typer.Option("--output", metavar="FILE", help="Write outputs and updated values as .npz.", show_default=False),
    ] = None,
    function: FunctionName = None,
    perf: Annotated[bool, typer.Option("--perf", help="Print the predicted time of every op.")] = False,
    cost_only: Annotated[
        bool, typer.Option("--cost-only", help="Predict the time of every op and execute nothing.")
    ] = False,
    sort: SortOption = SortOrder.ORDER,
    top: TopOption = None,
    group_by: GroupOption = None,
    depth: DepthOption = None,
    as_json: JsonOption = False,
    csv: CsvOption = None,
    html: HtmlOption = None,
    trace_json: TraceOption = None,
) -> None:
    """Execute a program on a simulated device.

    Values are computed on NumPy; every buffer is checked at the address that it was given. Inputs and parameters
    that the program writes to, such as caches of keys and values, are shown and written as updated.
    """
    if cost_only and (inputs or output):
        raise typer.BadParameter("it computes no values; leave out --inputs and --output", param_hint="--cost-only")
    from ttstack.api import load
    from ttstack.cli.outputs import check_targets
    from ttstack.cli.report import check_depth, print_report, report_dict, write_files

    deep = check_depth(group_by, depth)
    check_targets(output, csv, html, trace_json, source=file)
    program = load(file)
    done: Run | None = None
    if cost_only:
        report = program.cost(function)
    else:
        done = _execute(program, inputs, output, seed, numerics, function)
        report = done.report
    write_files(program, report, csv, html, trace_json)
    if as_json:
        write_json(_summaries(done) | {"report": report_dict(report, group_by, deep)})
        return
    if done is not None:
        _print_values(done)
    if perf or cost_only or group_by:
        print_report(report, sort, top, group_by, deep)


def _execute(
    program: "Program",
    inputs: Path | None,
    output: Path | None,
    seed: int,
    numerics: Numerics,
    function: str | None,
) -> "Run":
    from ttstack.cli.outputs import together, write_arrays
    from ttstack.cli.progress import show_ops

    values = None
    if inputs is not None:
        from ttstack_runtime.inputs import load_inputs

        values = load_inputs(inputs, program.function(function))
    with show_ops() as progress:
        done = program.run(values, seed, numerics, function=function, progress=progress)
    if output is not None:
        write_arrays(output, together(done.outputs, done.updated))
    return done


def _summaries(done: "Run | None") -> dict[str, Any]:
    if done is None:
        return {}
    found = {"outputs": done.outputs, "updated": done.updated}
    return {kind: {name: _summary(array) for name, array in arrays.items()} for kind, arrays in found.items()}


def _summary(array: "np.ndarray[Any, Any]") -> dict[str, Any]:
    """Shape, type and the range of the values; None where there are no finite ones."""
    import numpy as np

    values = array.astype(np.float64).ravel()
    finite = values[np.isfinite(values)]
    figures = {"min": np.min, "max": np.max, "mean": np.mean}
    return {
        "shape": list(array.shape),
        "dtype": array.dtype.name,
        **{name: float(of(finite)) if finite.size else None for name, of in figures.items()},
        "not_finite": int(values.size - finite.size),
    }


def _print_values(done: "Run") -> None:
    from rich.table import Table

    from ttstack.report.formatting import count, duration

    table = Table("output", "shape", "type", "min", "max", "mean", box=None, pad_edge=False, header_style="bold")
    report = done.report
    rows = [*done.outputs.items(), *((f"{name} (updated)", array) for name, array in done.updated.items())]
    for name, array in rows:
        found = _summary(array)
        figures = ("-" if found[k] is None else f"{found[k]:.6g}" for k in ("min", "max", "mean"))
        table.add_row(name, "x".join(map(str, found["shape"])) or "scalar", found["dtype"], *figures)
        if found["not_finite"]:
            table.add_row("", f"{found['not_finite']} values are not finite")
    console = stdout()
    console.print(table)
    ops = count(len(report.ops), "op")
    console.print(f"{report.function} on {report.system}: {duration(report.total_ns)} predicted, {ops}")
