"""Arguments and options that several commands share."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer


class SortOrder(StrEnum):
    """Order of the ops in a table."""

    ORDER = "order"
    TIME = "time"
    OP = "op"


class Format(StrEnum):
    """How a result is printed."""

    TABLE = "table"
    JSON = "json"


ProgramFile = Annotated[Path, typer.Argument(metavar="FILE", help="A .ttb file.", show_default=False)]
FunctionName = Annotated[
    str | None,
    typer.Option("--function", metavar="NAME", help="Which function, where there are several.", show_default=False),
]
SortOption = Annotated[
    SortOrder, typer.Option("--sort", help="Order of the ops: of execution, longest first, by name.")
]
TopOption = Annotated[
    int | None, typer.Option("--top", min=1, metavar="N", help="Print the first N ops only.", show_default=False)
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON, not tables.")]
CsvOption = Annotated[
    Path | None,
    typer.Option("--csv", metavar="FILE", help="Write ops_perf_results for tt-perf-report.", show_default=False),
]
HtmlOption = Annotated[
    Path | None, typer.Option("--html", metavar="FILE", help="Write a page for browsers.", show_default=False)
]
Recompile = Annotated[
    str | None,
    typer.Option(
        "--recompile",
        metavar="MODEL",
        help="For another device: the model, compiled again as the program was.",
        show_default=False,
    ),
]
