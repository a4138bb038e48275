"""What `ttstack compile` says of what it made."""

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ttstack.cli.console import stderr, stdout, write_json, write_line
from ttstack.cli.pass_tables import print_effects, print_rewrites, print_timings
from ttstack.options.choices import Phase

if TYPE_CHECKING:
    from ttstack.compiled_program import Program
    from ttstack.partial import PartialProgram


def say_phase(lowered: "PartialProgram", target: Path, phase: Phase, *, timings: bool, as_json: bool) -> None:
    """Say where the text of a phase is, and how to go on from it."""
    import shlex

    if timings:
        print_timings(lowered.phases, lowered.passes)
        print_rewrites(lowered.passes)
    if as_json:
        passes = [asdict(run) for run in lowered.passes]
        write_json({"file": str(target), "phase": phase, "phases": dict(lowered.phases), "passes": passes})
    else:
        write_line(f"{target}: {phase}; ttstack compile --compile-from {shlex.quote(str(target))} goes on")


def say_program(
    program: "Program", target: Path, phases: Mapping[str, float], *, timings: bool, as_json: bool, tables: bool
) -> None:
    """Say what came out: a line for each function, effects of passes where they were kept, tables if asked for."""
    if program.effects and not as_json:
        print_effects(program.effects)
    if timings:
        print_timings(phases, program.passes)
    if timings or (program.effects and not as_json):
        print_rewrites(program.passes)
    if as_json:
        write_json(_values(program, target, phases))
        return
    _print_summary(program, target)
    if tables:
        _print_tables(program)


def _values(program: "Program", target: Path, phases: Mapping[str, float]) -> dict[str, Any]:
    """The file, seconds of each phase, each pass, and the reports without their ops."""
    reports = {f.name: program.cost(f.name).to_dict() for f in program.binary.functions}
    functions = {name: {**report, "ops": len(report["ops"])} for name, report in reports.items()}
    found: dict[str, Any] = {
        "file": str(target),
        "bytes": target.stat().st_size,
        "phases": dict(phases),
        "functions": functions,
    }
    found["passes"] = [asdict(run) for run in program.passes]
    return found | ({"effects": [asdict(effect) for effect in program.effects]} if program.effects else {})


def write_decisions(program: "Program", target: Path) -> None:
    """Write all that placement decided as JSON."""
    import json

    from ttstack.placement.trace import traces_dict
    from ttstack.support.files import write_whole

    write_whole(target, json.dumps(traces_dict(program.decisions), indent=1))


def _print_tables(program: "Program") -> None:
    """Say which embedding tables are compressed."""
    from ttstack.report.tensor_trains import trains

    if program.binary.tables:
        stdout().print(trains(program.binary.tables))
    else:
        stderr().print("no parameter is an embedding table: none was compressed", soft_wrap=True)


def _print_summary(program: "Program", target: Path) -> None:
    """A line for each function: ops, predicted time, memory."""
    from ttstack.report.formatting import above, count, duration, percent, size

    nbytes = size(target.stat().st_size)
    for function in program.binary.functions:
        report = program.cost(function.name)
        gap = "" if report.placement_gap is None else f", {above(report.placement_gap)} the optimum"
        name = f"{target}: " if len(program.binary.functions) == 1 else f"{target}, {function.name}: "
        l1 = report.memory["l1"]
        write_line(
            f"{name}{count(len(report.ops), 'op')}, {duration(report.total_ns)} predicted on {report.device}{gap}, "
            f"L1 at most {size(l1.span)} of {size(l1.capacity)} (no less than {size(l1.peak)}), "
            f"{percent(report.staying)} % of results never leave it, file {nbytes}"
        )
