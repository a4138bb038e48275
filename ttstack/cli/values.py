"""Summaries of a run's values: shapes, types and ranges."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ttstack.cli.console import stdout

if TYPE_CHECKING:
    import numpy as np

    from ttstack.cli.steps import StepResults
    from ttstack.compiled_run import Run
    from ttstack.report.report import Report

_FIGURES = ("min", "max", "mean")


def summaries(done: "Run | None") -> dict[str, Any]:
    """Return summaries of outputs and updated values, by name."""
    if done is None:
        return {}
    found = {"outputs": done.outputs, "updated": done.updated}
    return {kind: {name: _summary(array) for name, array in arrays.items()} for kind, arrays in found.items()}


def _summary(array: "np.ndarray[Any, Any]") -> dict[str, Any]:
    """Return shape, type and the range of the values; None without finite ones."""
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


def print_values(done: "Run", *, timed: bool = True) -> None:
    """Print a line for each output and updated value, and the predicted time of a run if it has one."""
    from rich.table import Table

    if timed:
        _print_total(done.report)
    table = Table("output", "shape", "type", *_FIGURES, box=None, pad_edge=False, header_style="bold")
    updated = {f"{name} (updated)": array for name, array in done.updated.items()}
    found = {name: _summary(array) for name, array in ({**done.outputs, **updated}).items()}
    figures = zip(*(_aligned([value[name] for value in found.values()]) for name in _FIGURES), strict=True)
    for (name, value), said in zip(found.items(), figures, strict=True):
        table.add_row(name, "x".join(map(str, value["shape"])) or "scalar", value["dtype"], *said)
        if value["not_finite"]:
            table.add_row("", f"{value['not_finite']} values are not finite")
    stdout().print(table)


def print_steps(taken: "StepResults") -> None:
    """Print a line for each step with its scalars, and the predicted time of a step."""
    from ttstack.cli.render import show

    _print_total(taken.last.report)
    rows = taken.rows()
    columns = {name: _aligned([row[name] for row in rows]) for name in rows[0]}
    show(stdout(), [dict(zip(columns, said, strict=True)) for said in zip(*columns.values(), strict=True)])


def _aligned(values: Sequence[float | None]) -> list[str]:
    """Align a column of numbers at their decimal points, with a dash for missing ones."""
    parts = [("-" if value is None else f"{value:.6g}").partition(".") for value in values]
    width = max((len(whole) for whole, _, _ in parts), default=0)
    return [f"{whole:>{width}}{point}{rest}" for whole, point, rest in parts]


def _print_total(report: "Report") -> None:
    from ttstack.report.formatting import count, duration

    ops = count(len(report.ops), "op")
    stdout().print(f"{report.heading}: {duration(report.total_ns)} predicted, {ops}")
