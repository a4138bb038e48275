"""Arguments and options that several commands share."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from ttstack.cli.help import DEBUGGING, print_debugging_help

_TABLE, _FILES = "Table", "Files to write"


class SortOrder(StrEnum):
    """Order of the ops in a table."""

    ORDER = "order"
    TIME = "time"
    OP = "op"


class GroupKey(StrEnum):
    """Keys of groups of ops."""

    MODULE = "module"
    CLASS = "class"
    OP = "op"
    BOUND = "bound"
    CALLS = "calls"


class Format(StrEnum):
    """The output format of a result."""

    TABLE = "table"
    JSON = "json"


def device_names() -> list[str]:
    """Return the shell completions of a device, in addition to files."""
    from ttstack.system_desc import names

    return list(names())


def optional_passes(incomplete: str) -> list[str]:
    """Return the shell completions of the last name in --without."""
    from ttstack.passes import pipelines

    before, comma, _ = incomplete.rpartition(",")
    return [before + comma + name for name in ("all", *pipelines.optional_passes()) if name not in before.split(",")]


ProgramFile = Annotated[Path, typer.Argument(metavar="FILE", help="A .ttb program.", show_default=False)]
FunctionName = Annotated[
    str | None,
    typer.Option("--function", metavar="NAME", help="Function, if there are several.", show_default=False),
]
SortOption = Annotated[
    SortOrder | None,
    typer.Option(
        "--sort",
        metavar="KEY",
        help="Sort ops by order (of execution), time (longest first) or op (name).",
        show_default=False,
        rich_help_panel=_TABLE,
    ),
]
TopOption = Annotated[
    int | None,
    typer.Option(
        "--top",
        min=1,
        metavar="N",
        help="Print N ops: the longest, or the first of --sort.",
        show_default=False,
        rich_help_panel=_TABLE,
    ),
]
AllOption = Annotated[
    bool, typer.Option("--all", help="Print all ops in order of execution, and all totals.", rich_help_panel=_TABLE)
]
CallsOption = Annotated[
    bool,
    typer.Option("--calls", help="Print the kernels of composite ops; implies --all.", rich_help_panel=_TABLE),
]
GroupOption = Annotated[
    GroupKey | None,
    typer.Option(
        "--group-by",
        metavar="KEY",
        help="Sum ops by module, class, op (name), bound or calls (of ttnn).",
        show_default=False,
        rich_help_panel=_TABLE,
    ),
]
EveryOpOption = Annotated[
    bool,
    typer.Option(
        "--every-op",
        help="Print each call of a repeated time step instead of their sum; implies --all.",
        rich_help_panel=_TABLE,
    ),
]
DepthOption = Annotated[
    int | None,
    typer.Option(
        "--depth",
        min=1,
        metavar="N",
        help="Levels of groups with --group-by (default 2).",
        show_default=False,
        rich_help_panel=_TABLE,
    ),
]
SamplesOption = Annotated[
    int | None,
    typer.Option(
        "--samples",
        min=1,
        metavar="N",
        help="Print samples per second if one run has N samples.",
        show_default=False,
        rich_help_panel=_TABLE,
    ),
]
TokensOption = Annotated[
    int | None,
    typer.Option(
        "--tokens",
        min=1,
        metavar="N",
        help="Print tokens per second if one run has N tokens.",
        show_default=False,
        rich_help_panel=_TABLE,
    ),
]
PrintAfterOption = Annotated[
    str,
    typer.Option(
        "--print-after",
        metavar="NAME,...",
        help="Print the IR after passes: names, all, or changed.",
        show_default=False,
        rich_help_panel=DEBUGGING,
    ),
]
PrintOnlyOption = Annotated[
    str,
    typer.Option(
        "--print-only",
        metavar="OP|LOCATION",
        help="With --print-after and --dump-ir: print only ops of a name or a location.",
        show_default=False,
        rich_help_panel=DEBUGGING,
    ),
]
PrintDeviceOption = Annotated[
    bool,
    typer.Option("--print-device", help="Print the description of the device too.", rich_help_panel=DEBUGGING),
]
DumpDiffOption = Annotated[
    bool,
    typer.Option("--dump-ir-diff", help="With --dump-ir: write what changed, as diffs.", rich_help_panel=DEBUGGING),
]
MlirTimingOption = Annotated[
    bool, typer.Option("--mlir-timing", help="Print MLIR's own timing report.", rich_help_panel=DEBUGGING)
]
HelpDebuggingOption = Annotated[
    bool,
    typer.Option(
        "--help-debugging",
        is_eager=True,
        callback=print_debugging_help,
        help="Describe the options for debugging and exit.",
    ),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON instead of tables.")]
CsvOption = Annotated[
    Path | None,
    typer.Option(
        "--csv",
        metavar="FILE",
        help="Write ops_perf_results for tt-perf-report.",
        show_default=False,
        rich_help_panel=_FILES,
    ),
]
HtmlOption = Annotated[
    Path | None,
    typer.Option(
        "--html",
        metavar="FILE",
        help="Write a page with charts for browsers.",
        show_default=False,
        rich_help_panel=_FILES,
    ),
]
TraceOption = Annotated[
    Path | None,
    typer.Option(
        "--trace-json",
        metavar="FILE",
        help="Write a timeline for Perfetto.",
        show_default=False,
        rich_help_panel=_FILES,
    ),
]
ShapesOption = Annotated[
    list[str] | None,
    typer.Option(
        "--input",
        metavar="NAME=SHAPE",
        help="Shape of an input that the model leaves open, such as x=1x3x224x224; repeat it for each input.",
        show_default=False,
        rich_help_panel="Input and output",
    ),
]
VisualizerOption = Annotated[
    Path | None,
    typer.Option(
        "--visualizer",
        metavar="DIR",
        help="Write a new folder for ttnn-visualizer.",
        show_default=False,
        rich_help_panel=_FILES,
    ),
]
Recompile = Annotated[
    str | None,
    typer.Option(
        "--recompile",
        metavar="MODEL",
        help="Compile this model again for the other device, with the same options.",
        show_default=False,
        rich_help_panel="Device",
    ),
]
