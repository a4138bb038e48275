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


class GroupKey(StrEnum):
    """What ops are added up by."""

    MODULE = "module"
    CLASS = "class"
    OP = "op"
    CALLS = "calls"


class Format(StrEnum):
    """How a result is printed."""

    TABLE = "table"
    JSON = "json"


def device_names() -> list[str]:
    """What shells complete beside files where a device is asked for."""
    from ttstack.system_desc import names

    return list(names())


def optional_passes(incomplete: str) -> list[str]:
    """What shells complete for --without: the last name of a list."""
    from ttstack.passes import pipelines

    before, comma, _ = incomplete.rpartition(",")
    return [before + comma + name for name in ("all", *pipelines.optional_passes()) if name not in before.split(",")]


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
GroupOption = Annotated[
    GroupKey | None,
    typer.Option("--group-by", help="Add up ops by module, class, name, or calls of ttnn.", show_default=False),
]
EveryOpOption = Annotated[
    bool, typer.Option("--every-op", help="A row for each call of a step that repeats, not one for all its calls.")
]
DepthOption = Annotated[
    int | None,
    typer.Option(
        "--depth", min=1, metavar="N", help="With --group-by: N groups deep; 2 if left out.", show_default=False
    ),
]
SamplesOption = Annotated[
    int | None,
    typer.Option(
        "--samples",
        min=1,
        metavar="N",
        help="Say how many samples a second there are, of which one pass has N.",
        show_default=False,
    ),
]
TokensOption = Annotated[
    int | None,
    typer.Option("--tokens", min=1, metavar="N", help="The same for tokens.", show_default=False),
]
PrintAfterOption = Annotated[
    str,
    typer.Option(
        "--print-after",
        metavar="NAME,NAME|all|changed",
        help="Print the module after passes of these names; after all, or those that changed it, MLIR prints it.",
        show_default=False,
    ),
]
MlirTimingOption = Annotated[
    bool, typer.Option("--mlir-timing", help="MLIR's own report of times, with analyses, of all passes.")
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON, not tables.")]
CsvOption = Annotated[
    Path | None,
    typer.Option("--csv", metavar="FILE", help="Write ops_perf_results for tt-perf-report.", show_default=False),
]
HtmlOption = Annotated[
    Path | None,
    typer.Option("--html", metavar="FILE", help="Write a page with charts for browsers.", show_default=False),
]
TraceOption = Annotated[
    Path | None,
    typer.Option("--trace-json", metavar="FILE", help="Write a timeline for Perfetto.", show_default=False),
]
ShapesOption = Annotated[
    list[str] | None,
    typer.Option(
        "--input",
        metavar="NAME=SHAPE",
        help="Shape of an input, where the model leaves it open, as x=1x3x224x224; once for each input.",
        show_default=False,
    ),
]
VisualizerOption = Annotated[
    Path | None,
    typer.Option("--visualizer", metavar="DIR", help="Write a new folder for ttnn-visualizer.", show_default=False),
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
