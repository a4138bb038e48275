"""`ttstack explain`: why an op was placed as it was."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from ttstack.cli.console import stdout, write, write_json, write_sentence
from ttstack.cli.shared_options import FunctionName, JsonOption, ProgramFile

if TYPE_CHECKING:
    from ttstack.placement.explain import Alternative


def explain_op(
    file: ProgramFile,
    op: Annotated[
        str,
        typer.Argument(
            metavar="OP", help="Number of an op in reports, its location (or its end, or with *), or its name."
        ),
    ],
    function: FunctionName = None,
    top: Annotated[int, typer.Option("--top", min=1, metavar="N", help="Show the N best alternatives.")] = 12,
    resolve: Annotated[
        bool, typer.Option("--resolve", help="For each alternative, place all other ops anew around it.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Show what else an op could have had, what that would cost, and what decided against it."""
    from ttstack.api import load
    from ttstack.cli.render import show
    from ttstack.program.find_op import find_op
    from ttstack.program.launched import launched_positions

    program = load(file)
    found = program.function(function)
    number = find_op(found, op)
    explained = found.operations[launched_positions(found)[number]]
    shown = program.explain(number, function, top=top, resolve=resolve)
    if as_json:
        write_json([_values(a) for a in shown])
        return
    write(f"op {number}: {explained.name} {explained.location}")
    show(stdout(), [_row(a) for a in shown])
    for default in [a for a in shown if a.name]:
        write_sentence(f"{default.name} takes {default.more_ns / 1000:+z.2f} µs more than what the program has")
    write_sentence(_ANEW if resolve else _STAYING)


_DOUBT = "; placement adds µs doubt, by which the op's own time may be wrong, before it compares"
_STAYING = f"µs more: of the whole function while all other ops stay as they are; --resolve places them anew{_DOUBT}"
_ANEW = (
    "µs more: of the whole function while all other ops stay as they are; µs anew: with all of them placed around it"
    f"{_DOUBT}"
)


def _row(alternative: "Alternative") -> dict[str, Any]:
    op = alternative.device_op
    return {
        "": "*" if alternative.chosen else "",
        "µs more": round(alternative.more_ns / 1000, 2),
        **({} if alternative.anew_ns is None else {"µs anew": round(alternative.anew_ns / 1000, 2)}),
        "µs itself": round(alternative.ns / 1000, 2),
        "µs doubt": round(alternative.doubt_ns / 1000, 2),
        "µs changes": round(alternative.changes_ns / 1000, 2),
        "grid": str(op.grid),
        "operands": ", ".join(_short(layout) for layout in op.operands),
        "results": ", ".join(_short(layout) for layout in op.results),
        "why": f"{alternative.name}: {alternative.why}" if alternative.name else alternative.why,
    }


def _values(alternative: "Alternative") -> dict[str, Any]:
    from ttstack.device.program_config import config_fields

    op = alternative.device_op
    return {
        "chosen": alternative.chosen,
        "name": alternative.name,
        "more_ns": alternative.more_ns,
        "anew_ns": alternative.anew_ns,
        "elapsed_ns": alternative.ns,
        "doubt_ns": alternative.doubt_ns,
        "changes_ns": alternative.changes_ns,
        "grid": str(op.grid),
        "config": config_fields(op.config),
        "operands": list(map(str, op.operands)),
        "results": list(map(str, op.results)),
        "why": alternative.why,
    }


def _short(layout: Any) -> str:
    """`l1`, `dram`, or `l1 height@1x4`."""
    shards = f" {str(layout.memory_layout).removesuffix('_sharded')}@{layout.grid}" if layout.sharded else ""
    return f"{layout.memory_space}{shards}"
