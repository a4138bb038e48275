"""What runs gave, as summaries of values: shapes, types and ranges."""

from typing import TYPE_CHECKING, Any

from ttstack.cli.console import stdout

if TYPE_CHECKING:
    import numpy as np

    from ttstack.api import Run
    from ttstack.cli.steps import StepResults
    from ttstack.report.report import Report


def summaries(done: "Run | None") -> dict[str, Any]:
    """What there is to say of outputs and updated values, by name."""
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


def print_values(done: "Run") -> None:
    """A line for each output and updated value, and what a run is predicted to take."""
    from rich.table import Table

    table = Table("output", "shape", "type", "min", "max", "mean", box=None, pad_edge=False, header_style="bold")
    report = done.report
    rows = [*done.outputs.items(), *((f"{name} (updated)", array) for name, array in done.updated.items())]
    for name, array in rows:
        found = _summary(array)
        figures = ("-" if found[k] is None else _figure(found[k]) for k in ("min", "max", "mean"))
        table.add_row(name, "x".join(map(str, found["shape"])) or "scalar", found["dtype"], *figures)
        if found["not_finite"]:
            table.add_row("", f"{found['not_finite']} values are not finite")
    stdout().print(table)
    _print_total(report)


def print_steps(taken: "StepResults") -> None:
    """A line for each step with the numbers that it gave, and what a step is predicted to take."""
    from ttstack.cli.render import show

    show(stdout(), [{name: _figure(value) for name, value in row.items()} for row in taken.rows()])
    _print_total(taken.last.report)


def _figure(value: float) -> str:
    return f"{value:.6g}"


def _print_total(report: "Report") -> None:
    from ttstack.report.formatting import count, duration

    ops = count(len(report.ops), "op")
    stdout().print(f"{report.function} on {report.system}: {duration(report.total_ns)} predicted, {ops}")
