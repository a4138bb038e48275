"""`ttstack advise`: what would make a program faster."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ttstack.cli.console import note, stdout, write, write_json, write_sentence
from ttstack.cli.shared_options import FunctionName, JsonOption, ProgramFile, TopOption

if TYPE_CHECKING:
    from ttstack.advise import Advice
    from ttstack.compiled_program import Program
    from ttstack.report.report import Report

_LEAST_GAIN = 5e-5
"""The part of a total from which on a gain is more than 0.00 % as it is printed."""


def advise_program(
    file: ProgramFile,
    model: Annotated[str, typer.Argument(metavar="MODEL", help="The model that it was compiled from.")],
    ops: Annotated[
        int, typer.Option("--ops", min=0, metavar="N", help="Try changes of the N ops that take the most time.")
    ] = 3,
    save_overrides: Annotated[
        Path | None,
        typer.Option(
            "--save-overrides",
            metavar="FILE",
            help="Write the overrides of the best change that has some, which 'compile' takes.",
            show_default=False,
        ),
    ] = None,
    top: TopOption = None,
    function: FunctionName = None,
    as_json: JsonOption = False,
) -> None:
    """Try what would make a program faster, by compiling its model again with each change."""
    from ttstack.advise import advise
    from ttstack.api import load
    from ttstack.cli.outputs import check_targets
    from ttstack.cli.progress import show_phases
    from ttstack.diagnostics import InputError

    check_targets(save_overrides, sources=(file, model))
    if Path(model).suffix == ".ttb":
        raise InputError(
            f"'{model}' is a program; what it was compiled from is asked for",
            hint="give the program first, then its model: ttstack advise model.ttb model.onnx",
        )
    program = load(file)
    with show_phases("trying") as progress:
        before, found = advise(program, model, function, ops=ops, progress=progress)
    _note_another(program, before, file, model)
    if save_overrides is not None:
        _save(found, save_overrides)
    if as_json:
        write_json([_values(a) for a in found[:top]])
    else:
        _print(found, before, top)


def _note_another(program: "Program", before: "Report", file: Path, model: str) -> None:
    """Say so where the model, compiled as the program was, is another program."""
    from ttstack.report.formatting import duration

    names = [f.name for f in program.binary.functions]
    own = program.cost(before.function).total_ns if before.function in names else None
    if own != before.total_ns:
        takes = "has no such function" if own is None else f"takes {duration(own)}"
        note(
            f"'{model}' is not what '{file}' was compiled from, or has changed: '{before.function}' of it takes "
            f"{duration(before.total_ns)}, and the program {takes}; gains are those of the model"
        )


def _save(found: "list[Advice]", target: Path) -> None:
    from ttstack.support.files import write_whole

    best = next((a.change.overrides for a in found if a.change.overrides and a.gain_ns > 0), None)
    if best is None:
        write("no change that overrides make is faster: no overrides are written")
    else:
        write_whole(target, best.text())


def _values(advice: "Advice") -> dict[str, Any]:
    change = advice.change
    return {
        "change": change.what,
        "option": change.option or None,
        "overrides": change.overrides.model_dump(mode="json", exclude_none=True) if change.overrides else None,
        "passes": change.passes,
        "changes_values": change.changes_values,
        "gain_ns": advice.gain_ns,
        "total_ns": advice.total_ns,
        "expected_error": advice.expected_error,
        "refused": advice.refused or None,
    }


def _print(found: "list[Advice]", before: "Report", top: int | None) -> None:
    from ttstack.cli.render import show
    from ttstack.report.formatting import duration

    write(f"{before.function} on {before.device}: {duration(before.total_ns)}")
    better = [a for a in found if a.gain_ns >= _LEAST_GAIN * before.total_ns]
    if better:
        show(stdout(), [_row(a, before) for a in better[:top]])
    write_sentence(f"\n{len(better)} of {len(found)} changes make it faster, each by itself; ±%: of the new total")
    for refused in (a for a in found if a.refused):
        write_sentence(f"{refused.change.what} could not be tried: {refused.refused}")


def _row(advice: "Advice", before: "Report") -> dict[str, Any]:
    change = advice.change
    return {
        "gain %": 100 * advice.gain_ns / (before.total_ns or 1),
        "µs": advice.total_ns / 1000,
        "±%": 100 * advice.expected_error,
        "values": "change" if change.changes_values else "stay",
        "change": change.what,
        "with": change.option or "--save-overrides, then --overrides",
    }
