"""The output of `ttstack compile`."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ttstack.cli.console import note, stderr, stdout, write_json, write_line
from ttstack.cli.pass_tables import print_effects, print_rewrites, print_timings
from ttstack.cli.rewrites import findings, print_findings, write_page
from ttstack.options.choices import Phase

if TYPE_CHECKING:
    from ttstack.compiled_program import Program
    from ttstack.partial import PartialProgram
    from ttstack.passes.instrumented import Instruments


def say_phase(
    lowered: "PartialProgram",
    target: Path,
    phase: Phase,
    instruments: "Instruments",
    *,
    timings: bool,
    as_json: bool,
) -> None:
    """Print the path of a phase's text, and the command to continue from it."""
    import shlex

    if timings:
        print_timings(lowered.phases, lowered.passes)
        print_rewrites(lowered.passes)
    if as_json:
        passes = [asdict(run) for run in lowered.passes]
        written = {"file": str(target), "phase": phase, "phases": dict(lowered.phases), "passes": passes}
        write_json(written | findings(instruments))
    else:
        print_findings(instruments)
        write_line(f"{target}: {phase}; ttstack compile --compile-from {shlex.quote(str(target))} goes on")


def say_program(
    program: "Program",
    files: Sequence[Path],
    phases: Mapping[str, float],
    instruments: "Instruments",
    *,
    timings: bool,
    as_json: bool,
    tables: bool,
) -> None:
    """Print each function's time, the files, recorded effects of passes, and requested tables."""
    from ttstack.cli.outputs import print_paths

    if program.effects and not as_json:
        print_effects(program.effects)
    if timings:
        print_timings(phases, program.passes)
    if timings or (program.effects and not as_json):
        print_rewrites(program.passes)
    if as_json:
        write_json(_values(program, files, phases) | findings(instruments))
        return
    print_findings(instruments)
    _print_summary(program)
    _print_patterns(program)
    print_paths(files)
    _note_float32(program)
    if tables:
        _print_tables(program)


def _note_float32(program: "Program") -> None:
    """Print a note on the cost of float32 if bf16 can be proposed."""
    from ttstack.report.float32 import proposed_bf16

    for function in program.binary.functions:
        if (cost := proposed_bf16(program.binary, function)) is not None:
            note(str(cost))
            return


def _values(program: "Program", files: Sequence[Path], phases: Mapping[str, float]) -> dict[str, Any]:
    """Return the files, seconds of each phase, each pass, and the reports without their ops."""
    target, *beside = files
    reports = {f.name: program.cost(f.name).to_dict() for f in program.binary.functions}
    functions = {name: {**report, "ops": len(report["ops"])} for name, report in reports.items()}
    found: dict[str, Any] = {
        "file": str(target),
        "bytes": target.stat().st_size,
        "weights_file": str(beside[0]) if beside else None,
        "weights_file_bytes": beside[0].stat().st_size if beside else 0,
        "phases": dict(phases),
        "functions": functions,
    }
    found["passes"] = [asdict(run) for run in program.passes]
    return found | ({"effects": [asdict(effect) for effect in program.effects]} if program.effects else {})


def _print_patterns(program: "Program") -> None:
    """Print what became of each pattern of the user."""
    from ttstack.passes.outcomes import describe_outcomes

    for run in program.passes:
        for name, found in run.patterns.items():
            write_line(f"pattern {name}: {describe_outcomes(found)}")


def write_findings(
    program: "Program", instruments: "Instruments", decisions: Path | None, page: Path | None
) -> list[Path]:
    """Write all placement decisions as JSON, and the page about the compilation, if they are asked for."""
    import json

    from ttstack.placement.trace import traces_dict
    from ttstack.support.files import write_whole

    if decisions is not None:
        write_whole(decisions, json.dumps(traces_dict(program.decisions), indent=1))
    return [write_page(program, instruments, page)] if page else []


def _print_tables(program: "Program") -> None:
    """Print which embedding tables are compressed."""
    from ttstack.report.tensor_trains import trains

    if program.binary.tables:
        stdout().print(trains(program.binary.tables))
    else:
        stderr().print("no parameter is an embedding table: none was compressed", soft_wrap=True)


def _print_summary(program: "Program") -> None:
    """Print each function's title, time and whether it fits."""
    from ttstack.report.facts import fits, time_fact
    from ttstack.report.formatting import above, count

    for function in program.binary.functions:
        report = program.cost(function.name)
        time, memory = time_fact(report), fits(report)
        gap = "" if report.placement_gap is None else f", {above(report.placement_gap)} the best placement"
        write_line(report.heading)
        write_line(
            f"{count(len(report.ops), 'op')}, {time.value} predicted, {time.note}{gap}; {memory.value}, {memory.note}"
        )
