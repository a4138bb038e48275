"""`ttstack explain`: why an op was placed as it was."""

from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ttstack.cli.console import stdout, write, write_json
from ttstack.cli.options import FunctionName, JsonOption, ProgramFile

if TYPE_CHECKING:
    from ttstack.placement.explain import Alternative
    from ttstack.program.records import Function


def explain_op(
    file: ProgramFile,
    op: Annotated[
        str, typer.Argument(metavar="OP", help="Number of an op in 'inspect --section ops', or its location; * is any.")
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
    from ttstack.cli.show import show
    from ttstack.diagnostics import InputError
    from ttstack.placement import BUDGET_SECONDS
    from ttstack.placement.explain import explain

    program = load(file)
    found = program.function(function)
    number = _number(found, op)
    explained = found.operations[number]
    chip, seconds = program.binary.chip(found), BUDGET_SECONDS if resolve else 0.0
    try:
        shown = explain(found, number, chip, program.binary.system_desc, most=top, anew_seconds=seconds)
    except LookupError as error:
        raise InputError(
            f"op {number} is a '{explained.name}', which has no placement of its own",
            hint="'ttstack inspect --section ops' numbers all ops, reports only those that take time",
        ) from error
    if as_json:
        write_json([_values(a) for a in shown])
        return
    write(f"op {number}: {explained.name} {explained.location}")
    show(stdout(), [_row(a) for a in shown])
    write(_ANEW if resolve else _STAYING)


_STAYING = "µs more: of the whole function while all other ops stay as they are; --resolve places them anew"
_ANEW = (
    "µs more: of the whole function while all other ops stay as they are; µs anew: with all of them placed around it"
)


def _number(function: "Function", op: str) -> int:
    from ttstack.diagnostics import InputError
    from ttstack.program.buffers import UNPLACED

    if op.isdecimal():
        if int(op) < len(function.operations):
            return int(op)
        raise InputError(f"there is no op {op}; '{function.name}' has {len(function.operations)}")
    matching = [i for i, o in enumerate(function.operations) if o.name not in UNPLACED and fnmatchcase(o.location, op)]
    if len(matching) == 1:
        return matching[0]
    notes = tuple(f"{i}: {function.operations[i].name} {function.operations[i].location}" for i in matching)
    what = f"{len(matching)} ops are" if matching else "no op is"
    hint = "give the number of one" if matching else "'ttstack inspect --section ops' lists numbers and locations"
    raise InputError(f"{what} at '{op}'", notes=notes, hint=hint)


def _row(alternative: "Alternative") -> dict[str, Any]:
    op = alternative.device_op
    return {
        "": "*" if alternative.chosen else "",
        "µs more": round(alternative.more_ns / 1000, 2),
        **({} if alternative.anew_ns is None else {"µs anew": round(alternative.anew_ns / 1000, 2)}),
        "µs itself": round(alternative.ns / 1000, 2),
        "µs changes": round(alternative.changes_ns / 1000, 2),
        "grid": str(op.grid),
        "operands": ", ".join(_short(layout) for layout in op.operands),
        "results": ", ".join(_short(layout) for layout in op.results),
        "why": alternative.why,
    }


def _values(alternative: "Alternative") -> dict[str, Any]:
    op = alternative.device_op
    return {
        "chosen": alternative.chosen,
        "more_ns": alternative.more_ns,
        "anew_ns": alternative.anew_ns,
        "ns": alternative.ns,
        "changes_ns": alternative.changes_ns,
        "grid": str(op.grid),
        "config": dict(op.config),
        "operands": list(map(str, op.operands)),
        "results": list(map(str, op.results)),
        "why": alternative.why,
    }


def _short(layout: Any) -> str:
    """`l1`, `dram`, or `l1 height@1x4`."""
    shards = f" {str(layout.memory_layout).removesuffix('_sharded')}@{layout.grid}" if layout.sharded else ""
    return f"{layout.memory_space}{shards}"
