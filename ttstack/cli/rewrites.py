"""Options about rewrites and values of `ttstack compile` and `ttstack opt`, and what they print."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Optional

import typer

from ttstack.cli.console import stderr
from ttstack.cli.help import DEBUGGING

if TYPE_CHECKING:
    from ttstack.compiled_program import Program
    from ttstack.passes.instrumented import CheckedPass, Instruments
    from ttstack.passes.rewrite_log import Attempt

CheckValuesOption = Annotated[
    bool,
    typer.Option(
        "--check-values",
        help="Execute the module after each pass that changed it; fail at the first that changes values.",
        rich_help_panel=DEBUGGING,
    ),
]
CheckNumericsOption = Annotated[
    str,
    typer.Option(
        "--check-numerics",
        metavar="KIND",
        help="With --check-values: exact (float64, default), or device: print the PCC after each pass.",
        show_default=False,
        rich_help_panel=DEBUGGING,
    ),
]
StopAfterOption = Annotated[
    Optional[int],  # noqa: UP045  (typer reads the annotation)
    typer.Option(
        "--stop-after",
        min=0,
        metavar="N",
        help="Apply only the first N optional rewrites.",
        show_default=False,
        rich_help_panel=DEBUGGING,
    ),
]
ExplainRewritesOption = Annotated[
    str,
    typer.Option(
        "--explain-rewrites",
        metavar="NAME|all",
        help="Print where a rewrite matched, was declined, and which condition failed.",
        show_default=False,
        rich_help_panel=DEBUGGING,
    ),
]

ReportHtmlOption = Annotated[
    Optional[Path],  # noqa: UP045  (typer reads the annotation)
    typer.Option(
        "--report-html",
        metavar="DIR",
        help="Write a page about the compilation: passes, changes of the IR, rewrites, placement.",
        show_default=False,
        rich_help_panel=DEBUGGING,
    ),
]

_PLACES = 3
"""Places of an outcome that are printed unless a rewrite is asked for by name."""


def instruments_of(
    print_after: str,
    mlir_timing: bool,
    print_only: str,
    print_device: bool,
    diff: bool,
    check_values: bool,
    check_numerics: str,
    stop_after: int | None,
    explain_rewrites: str,
    page: Path | None = None,
) -> "Instruments":
    """Return what the options for debugging ask of a pipeline."""
    from typing import cast

    from ttstack.passes.instrumented import Instruments
    from ttstack.passes.printing import Printing
    from ttstack.passes.rewrite_log import RewriteLog

    if check_numerics not in ("exact", "device"):
        raise typer.BadParameter("give exact or device", param_hint="--check-numerics")
    log = RewriteLog(stop_after, keeps_declined=bool(explain_rewrites or page), near_misses=explain_rewrites)
    return Instruments(
        print_after,
        mlir_timing,
        Printing(print_only, print_device),
        diff,
        log if stop_after is not None or explain_rewrites or page else None,
        cast(Any, check_numerics if check_values else None),
    )


def print_findings(instruments: "Instruments") -> None:
    """Print the values after each pass, and what rewrites did, if they were asked for."""
    if instruments.check_values:
        print_value_checks(instruments.checked)
    if (log := instruments.rewrites) is not None:
        if log.near_misses:
            print_attempts(log.attempts, log.near_misses)
        if log.stop_after is not None:
            stderr().print(f"{log.applied} rewrites applied", soft_wrap=True)


def write_page(program: "Program", instruments: "Instruments", folder: Path) -> Path:
    """Write the page about a compilation, and return its path."""
    from ttstack.debugging.compilation_page import compilation_page
    from ttstack.support.files import write_whole

    assert instruments.rewrites is not None
    target = folder / "index.html"
    write_whole(target, compilation_page(program, instruments.rewrites, folder))
    return target


def findings(instruments: "Instruments") -> dict[str, Any]:
    """For JSON: the values after each pass, and what rewrites did, if they were asked for."""
    from dataclasses import asdict

    found: dict[str, Any] = {}
    if instruments.check_values:
        found["checked"] = [asdict(done) for done in instruments.checked]
    if instruments.rewrites and instruments.rewrites.near_misses:
        found["rewrites"] = attempts_dict(instruments.rewrites.attempts)
    return found


def print_value_checks(checked: "Sequence[CheckedPass]") -> None:
    """Print a row for each pass that changed the module."""
    from ttstack.cli.render import show

    show(
        stderr(),
        [
            {"pass": done.step, "difference": f"{done.relative:.1e}", "PCC": f"{done.pcc:.6f}"}
            for done in checked
            if not done.skipped
        ],
    )
    for done in checked:
        if done.skipped:
            stderr().print(f"not executed after {done.step}: {done.skipped}", soft_wrap=True)


def print_attempts(attempts: "Iterable[Attempt]", name: str) -> None:
    """Print each rewrite with the number of its outcomes, and below each outcome the places."""
    wanted = list(dict.fromkeys(a for a in attempts if name in ("all", a.step, a.rewrite)))
    if not wanted:
        stderr().print(f"'{name}' was tried on no op: the model has none of the ops that it replaces", soft_wrap=True)
    for title, group in groupby(sorted(wanted, key=lambda a: a.name), lambda a: a.name):
        found = list(group)
        stderr().print(f"{title}: {_counts(found)}", soft_wrap=True)
        for outcome, some in _by_outcome(found).items():
            _print_outcome(outcome, some, every=name != "all")


def attempts_dict(attempts: "Iterable[Attempt]") -> list[dict[str, Any]]:
    """For JSON."""
    from dataclasses import asdict

    return [asdict(attempt) for attempt in attempts]


def _counts(attempts: "Sequence[Attempt]") -> str:
    from ttstack.passes.outcomes import APPLIED
    from ttstack.passes.rewrite_log import NO_MATCH

    missed = sum(a.outcome == NO_MATCH for a in attempts)
    applied = sum(a.outcome == APPLIED for a in attempts)
    matched = len(attempts) - missed
    return f"matched {matched}, applied {applied}, declined {matched - applied}, did not match {missed}"


def _by_outcome(attempts: "Sequence[Attempt]") -> "Mapping[str, list[Attempt]]":
    from ttstack.passes.rewrite_log import NO_MATCH

    found: dict[str, list[Attempt]] = {}
    for attempt in attempts:
        key = f"did not match, {attempt.detail}" if attempt.outcome == NO_MATCH else attempt.outcome
        found.setdefault(key, []).append(attempt)
    return found


def _print_outcome(outcome: str, attempts: "Sequence[Attempt]", *, every: bool) -> None:
    from ttstack.passes.rewrite_log import NO_MATCH

    lines = list(dict.fromkeys(f"    {a.place if a.outcome == NO_MATCH else a.line}" for a in attempts))
    stderr().print(f"  {outcome}: {len(attempts)}", soft_wrap=True)
    shown = lines if every else lines[:_PLACES]
    for line in shown:
        stderr().print(line, soft_wrap=True)
    if len(shown) < len(lines):
        stderr().print(f"    and {len(lines) - len(shown)} more", soft_wrap=True)
