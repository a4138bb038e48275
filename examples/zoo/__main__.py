"""`python -m examples.zoo`: compile, cost and run the models, and compare them with PyTorch.

A script and no command of `ttstack`, as the models are not in the wheel.
"""

import json
import os
import platform
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from enum import StrEnum
from multiprocessing import get_context
from pathlib import Path
from typing import Annotated

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from examples.zoo import FAMILIES
from examples.zoo.measure import measure
from examples.zoo.record import Record, to_json
from examples.zoo.table import FIGURES, rows
from ttstack.cli.console import stderr, stdout
from ttstack.diagnostics import InputError, TTStackError
from ttstack.options.choices import RealFormat
from ttstack.support.files import write_whole
from ttstack.system_desc import load


class Size(StrEnum):
    """Which configuration of a model."""

    SMALL = "small"
    FULL = "full"


USUAL = {Size.SMALL: RealFormat.BF16, Size.FULL: RealFormat.BFP8_B}
"""Formats in which a size is compiled: eight billion parameters fit the card's DRAM in no wider one."""


def main(
    names: Annotated[list[str] | None, typer.Argument(help="Models; all by default.", show_default=False)] = None,
    size: Annotated[Size, typer.Option(help="Small models are run and compared; full-size ones costed.")] = Size.SMALL,
    dtype: Annotated[
        RealFormat | None,
        typer.Option(
            help="Format that is compiled, costed and timed; bf16 for small, bfp8_b for full.", show_default=False
        ),
    ] = None,
    system_desc: Annotated[str, typer.Option(metavar="NAME|PATH", help="The device.")] = "wormhole",
    json_file: Annotated[Path | None, typer.Option("--json", metavar="FILE", help="Write the figures.")] = None,
    list_models: Annotated[bool, typer.Option("--list", help="Print the models by family.")] = False,
) -> None:
    """Compile, cost, run and compare models of the zoo; the exit code is 1 if one misses its target."""
    if list_models:
        for family, models in FAMILIES.items():
            stdout().print(f"{family}: {', '.join(models)}", soft_wrap=True)
        return
    chosen = _chosen(names or [])
    load(system_desc)  # to find its faults once, and not for each model
    records = list(_measured(chosen, size.value, (dtype or USUAL[size]).value, system_desc))
    _print(records)
    if json_file is not None:
        about = {"command": f"python -m examples.zoo --size {size.value}", "device": system_desc, "machine": _machine()}
        write_whole(json_file, json.dumps(to_json(records, **about), indent=1) + "\n")
    if any(record.misses() for record in records):
        raise typer.Exit(1)


def _chosen(names: Sequence[str]) -> list[str]:
    known = [name for family in FAMILIES.values() for name in family]
    if unknown := [name for name in names if name not in known]:
        raise InputError(f"the zoo has no model {', '.join(unknown)}", hint="--list prints the models")
    return list(names) or known


def _measured(names: Sequence[str], size: str, dtype: str, system_desc: str) -> Iterator[Record]:
    """One model after the other, each in a process of its own, so that its memory is its own."""
    columns = (TextColumn("{task.description:14}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=stderr(), transient=True) as progress:
        task = progress.add_task("", total=len(names))
        for name in names:
            progress.update(task, description=name)
            with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as process:
                try:
                    record = process.submit(measure, name, size, dtype, system_desc).result()
                except BrokenProcessPool:
                    record = Record(name, size, dtype, failure="the process was ended, for lack of memory perhaps")
            progress.console.print(f"{name}: {', '.join(record.misses()) or 'good'}")
            progress.advance(task)
            yield record


def _print(records: Sequence[Record]) -> None:
    table = Table("model", box=None, pad_edge=False, header_style="bold")
    for figure in FIGURES:
        table.add_column(figure, justify="right", no_wrap=True)
    for row in rows(records):
        table.add_row(*row)
    console = stdout()
    console.print(table)
    for record in records:
        for miss in record.misses():
            console.print(f"{record.model}: {miss}")


def _machine() -> str:
    return f"{os.cpu_count()} cores of {platform.machine()}, Python {platform.python_version()}"


if __name__ == "__main__":
    app = typer.Typer(add_completion=False, rich_markup_mode=None)
    app.command()(main)
    try:
        app()
    except TTStackError as error:
        sys.exit(str(error))
