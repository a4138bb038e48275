"""`ttstack explain`: reasons for the placement of an op."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from ttstack.cli.console import stdout, write, write_json, write_sentence
from ttstack.cli.shared_options import FunctionName, JsonOption, ProgramFile

if TYPE_CHECKING:
    from ttstack.compiled_program import Program
    from ttstack.placement.explain import Alternative


def explain_op(
    file: ProgramFile,
    op: Annotated[
        str,
        typer.Argument(
            metavar="OP", help="Number of the op in reports, its location (or the end, or with *), or its name."
        ),
    ],
    function: FunctionName = None,
    top: Annotated[int, typer.Option("--top", min=1, metavar="N", help="Number of alternatives.")] = 12,
    resolve: Annotated[bool, typer.Option("--resolve", help="Place all other ops again for each alternative.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Show alternative placements of an op, their cost, and why they lost."""
    from ttstack.api import load
    from ttstack.cli.render import show
    from ttstack.program.find_op import find_op
    from ttstack.program.launched import launched_positions
    from ttstack.program.title import program_title

    program = load(file)
    found = program.function(function)
    number = find_op(found, op)
    explained = found.operations[launched_positions(found)[number]]
    shown = program.explain(number, function, top=top, resolve=resolve)
    if as_json:
        write_json([_values(a) for a in shown])
        return
    write(str(program_title(program.binary, found)))
    write(f"op {number}: {explained.name} {explained.location}")
    _show_sensitivity(program, function, number)
    kernels = len(program.cost(function).ops[number].calls)
    show(stdout(), [_row(n, a, composite=kernels > 1) for n, a in enumerate(shown)])
    if kernels > 1:
        write_sentence(f"It is composed of {kernels} kernels, each with a grid of its own: ttstack perf {file} --calls")
    for default in [a for a in shown if a.name]:
        write_sentence(f"{default.name}: {_change(default.more_ns)} µs compared with the program")
    write_sentence(_ANEW if resolve else _STAYING)
    write_sentence(_TERMS)


_LEAST = 5e-4
"""Share of an op's time below which a resource is omitted."""


def _show_sensitivity(program: "Program", function: str | None, number: int) -> None:
    """Print how much of the op's time 10 % more, and twice as much, of each resource saves."""
    from ttstack.cli.render import show
    from ttstack.cost.sensitivity import Sensitivity
    from ttstack.program.launched import launched_positions
    from ttstack.report.formatting import duration
    from ttstack.system_desc.resources import Resource

    found, op = program.function(function), program.cost(function).ops[number]
    device_op = found.device_op(found.operations[launched_positions(found)[number]])
    twice = Sensitivity(program.binary.chip(found), program.binary.system_desc, 2.0).of(device_op, op.elapsed_ns)
    more = {r: (op.sensitivity.get(r, 0.0), twice.get(r, 0.0)) for r in (*op.sensitivity, *twice)}
    rows = [
        {"resource": r, "+10 %": _saved(of[0]), "twice": _saved(of[1]), "what it is": Resource(r).full_name}
        for r, of in more.items()
        if max(of) >= _LEAST
    ]
    if rows:
        write(f"{duration(op.elapsed_ns)}, bound by {op.bound}; time saved by more of each resource:")
        show(stdout(), rows)
        write_sentence(f"What helps an op that is bound by {op.bound}: {Resource(op.bound).remedy}.")
        write("")


def _saved(share: float) -> str:
    return f"{-100 * share:.1f} %" if share >= _LEAST else "0"


_ONE = "µs total: change of the whole function if only this op is placed differently"
_STAYING = f"{_ONE}; --resolve places all other ops again"
_ANEW = f"{_ONE}; µs replaced: if all other ops are placed again around it"
_TERMS = "µs op: its own time; µs layouts: layout changes around it; µs uncertainty: penalty for an uncertain time"


def _change(ns: float) -> str:
    return f"{ns / 1000:+z.2f}"


def _row(number: int, alternative: "Alternative", *, composite: bool) -> dict[str, Any]:
    op = alternative.device_op
    return {
        "placement": "chosen" if alternative.chosen else "default" if alternative.name else f"alternative {number}",
        "µs total": _change(alternative.more_ns),
        **({} if alternative.anew_ns is None else {"µs replaced": _change(alternative.anew_ns)}),
        "µs op": round(alternative.ns / 1000, 2),
        "µs layouts": round(alternative.changes_ns / 1000, 2),
        "µs uncertainty": round(alternative.doubt_ns / 1000, 2),
        **({} if composite else {"grid": str(op.grid)}),
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
    """Return a short layout: `l1`, `dram`, or `l1 height@1x4`."""
    shards = f" {str(layout.memory_layout).removesuffix('_sharded')}@{layout.grid}" if layout.sharded else ""
    return f"{layout.memory_space}{shards}"
