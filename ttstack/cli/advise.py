"""`ttstack advise`: changes that make a program faster."""

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ttstack.cli.console import note, stdout, write, write_json, write_sentence
from ttstack.cli.shared_options import FunctionName, JsonOption, ProgramFile, TopOption

if TYPE_CHECKING:
    from ttstack.advise import Advice, Advisor, OptionChange, ValueChange
    from ttstack.compiled_program import Program
    from ttstack.report.report import Report

_LEAST_GAIN = 5e-5
"""The smallest share of a total that prints as more than 0.00 %."""


def advise_program(
    file: ProgramFile,
    model: Annotated[str, typer.Argument(metavar="MODEL", help="Model from which it was compiled.")],
    ops: Annotated[
        int, typer.Option("--ops", min=0, metavar="N", help="Try changes of the N ops that take the most time.")
    ] = 3,
    save_overrides: Annotated[
        Path | None,
        typer.Option(
            "--save-overrides",
            metavar="FILE",
            help="Write the overrides of the best change, for `ttstack compile --overrides`.",
            show_default=False,
        ),
    ] = None,
    measure_seconds: Annotated[
        float,
        typer.Option(
            "--measure-seconds",
            min=0,
            metavar="SECONDS",
            help="Time limit of all runs on random inputs, which measure how values change (0 = no runs).",
        ),
    ] = 60.0,
    top: TopOption = None,
    function: FunctionName = None,
    as_json: JsonOption = False,
) -> None:
    """Compile the model again with each change that may make its program faster.

    If formats change, the program runs on random inputs in the device's formats, and its values are compared with exact
    ones. The smallest change of values comes first. An interrupt prints the results so far.
    """
    from ttstack.advise import Advisor
    from ttstack.api import load
    from ttstack.cli.outputs import check_targets
    from ttstack.cli.progress import interrupts, show_phases, show_tasks
    from ttstack.diagnostics import InputError

    check_targets(save_overrides, sources=(file, model))
    if Path(model).suffix == ".ttb":
        raise InputError(
            f"'{model}' is a program, not the model that it was compiled from",
            hint="give the program first, then its model: ttstack advise model.ttb model.onnx",
        )
    program = load(file)
    with show_phases("compiling it as it is") as progress:
        advisor = Advisor.of(program, model, function, ops=ops, measure_seconds=measure_seconds, progress=progress)
    before, changes = advisor.before, advisor.changes
    with interrupts() as interrupted, show_tasks("trying", [change.what for change in changes]) as done:
        for _ in advisor.advices():
            done()
    found = advisor.ordered
    _note_another(program, before, file, model)
    if save_overrides is not None:
        _save(found, save_overrides)
    if as_json:
        write_json([_values(a) for a in found[:top]])
    else:
        _print(advisor, top)
    if interrupted.signal:
        raise typer.Exit(interrupted.exit_code)


def _note_another(program: "Program", before: "Report", file: Path, model: str) -> None:
    """Print a note if the compiled model differs from the program."""
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

    gains = {a.gain_ns: a.change.overrides for a in found if a.change.overrides and a.gain_ns > 0}
    best = gains[max(gains)] if gains else None
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
        "values": asdict(advice.values) if advice.values else None,
        "not_measured": advice.not_measured or None,
        "refused": advice.refused or None,
    }


def _print(advisor: "Advisor", top: int | None) -> None:
    from ttstack.cli.render import show
    from ttstack.report.formatting import duration

    before, found = advisor.before, advisor.ordered
    write(f"{before.heading}: {duration(before.total_ns)}")
    if advisor.values:
        write_sentence(f"Values as it is: {_said(advisor.values)}.")
    better = [a for a in found if a.gain_ns >= _LEAST_GAIN * before.total_ns]
    if better:
        write("")
        show(stdout(), [_row(a, before) for a in better[:top]])
    write("")
    tried = f"{len(found)} changes" if len(found) == len(advisor.changes) else f"{len(found)} tried changes"
    write_sentence(f"{len(better)} of {tried} make it faster, each by itself; the least change of values comes first.")
    write_sentence(_LEGEND)
    for advice in (a for a in better[:top] if a.change.option and not _is_short(a.change)):
        write_sentence(f"For {advice.change.what}: {advice.change.option}")
    if any(not a.change.option for a in better[:top]):
        write_sentence("Changes without an option are overrides, which --save-overrides writes.")
    for why in dict.fromkeys(a.not_measured for a in found if a.not_measured):
        names = ", ".join(a.change.what for a in found if a.not_measured == why)
        write_sentence(f"Values not measured, because {why}: {names}.")
    for refused in (a for a in found if a.refused):
        write_sentence(f"{refused.change.what} could not be tried: {refused.refused}")
    if len(found) < len(advisor.changes):
        write_sentence(f"Interrupted: {len(found)} of {len(advisor.changes)} changes were tried.")


_SHORT = 30
"""Maximum number of characters of an option in the table."""

_LEGEND = (
    "PCC: correlation of outputs with those of the model computed exactly, on random inputs in the device's formats. "
    "diff %: largest difference over the largest value. ±%: expected error of the time."
)


def _said(values: "ValueChange | str") -> str:
    if isinstance(values, str):
        return f"not measured, because {values}"
    return f"PCC {values.pcc:.5f}, largest difference {100 * values.relative:.2g} % of the largest value"


def _is_short(change: "OptionChange") -> bool:
    """Return True if the option describes a change fully, in one line."""
    return 0 < len(change.option) <= _SHORT


def _row(advice: "Advice", before: "Report") -> dict[str, Any]:
    change, values = advice.change, advice.values
    unknown = "unmeasured" if change.changes_values else "same"
    return {
        "gain %": 100 * advice.gain_ns / (before.total_ns or 1),
        "µs": advice.total_ns / 1000,
        "±%": "?" if advice.expected_error is None else f"{100 * advice.expected_error:.0f}",
        "PCC": f"{values.pcc:.5f}" if values else unknown,
        "diff %": f"{100 * values.relative:.2g}" if values else "",
        "change": change.option if _is_short(change) else change.what,
    }
