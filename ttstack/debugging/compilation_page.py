"""One page about a compilation: stages, passes with their changes of the IR, rewrites, and decisions of placement."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby, pairwise
from pathlib import Path
from typing import Any
from urllib.parse import quote

from ttstack.compiled_program import Program
from ttstack.dialects.text.parts import diff_texts
from ttstack.passes.effects import PassEffect
from ttstack.passes.outcomes import APPLIED
from ttstack.passes.pass_log import PassSummary
from ttstack.passes.rewrite_log import Attempt, RewriteLog
from ttstack.placement.pricing import Candidate
from ttstack.placement.trace import PlacementDecision, PlacementTrace
from ttstack.report.formatting import count, duration
from ttstack.report.html.templates import asset, render
from ttstack.version import VERSION

_PLACES, _DIFF_LINES = 12, 300
"""Places of an outcome, and lines of a diff, that the page shows."""
_NOTABLE = 0.05
"""The share of the time of all passes from which a stage is shown that changed nothing."""
IR = "ir"
"""The folder of the texts, beside the page."""


@dataclass
class _Step:
    """A pass that has run."""

    run: PassSummary
    diffs: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    lines: str = ""
    change_ns: float | None = None


def compilation_page(program: Program, log: RewriteLog, folder: Path) -> str:
    """Return a page about how a program was compiled.

    Args:
        program: Compiled with `keep_effects` and `keep_decisions`.
        log: The rewrites of its compilation, those that were declined too.
        folder: Where the text after each pass is, as `dump_ir` writes it, in a folder `ir`.
    """
    steps = list(_steps(program, folder / IR))
    changed = [step for step in steps if step.diffs]
    by_pass = {step: list(group) for step, group in groupby(sorted(log.attempts, key=_step_of), _step_of)}
    silent = [step.run.name for step in steps if not step.diffs]
    declined = [a for name in dict.fromkeys(silent) for a in by_pass.get(name, ()) if a.number is None]
    return render(
        "compilation",
        title=program.cost(program.binary.functions[0].name).heading,
        cards=_cards(program, log, steps),
        stages=[*_stages(program.effects, steps)],
        passes=[_pass(number, step, by_pass.get(step.run.name, ())) for number, step in enumerate(changed)],
        unchanged=list(dict.fromkeys(silent)),
        declined=[f"{a.name}: {a.line}: {a.outcome}" for a in declined][:_DIFF_LINES],
        placements=[_placement(name, trace) for name, trace in program.decisions.items()],
        style=asset("page.css"),
        own_style=asset("compilation.css"),
        version=VERSION,
    )


def _step_of(attempt: Attempt) -> str:
    return attempt.step


def _steps(program: Program, folder: Path) -> Iterator[_Step]:
    texts = {path.name: "" for path in folder.glob("000-input*.mlir")}
    last = {_function(name): (folder / name).read_text("utf-8") for name in texts}
    effects = _effects(program.effects)
    for index, run in enumerate(program.passes, 1):
        step = _Step(run, change_ns=effects.get((run.name, run.stage)))
        added = removed = 0
        for path in sorted(folder.glob(f"{index:03d}-{run.name}*.mlir")):
            text, function = path.read_text("utf-8"), _function(path.name)
            lines = [*_diff(last.get(function, ""), text)]
            added += sum(line["kind"] == "added" for line in lines)
            removed += sum(line["kind"] == "removed" for line in lines)
            more = max(len(lines) - _DIFF_LINES, 0)
            href = f"{IR}/{quote(path.name)}"
            step.diffs.append({"file": path.name, "href": href, "lines": lines[:_DIFF_LINES], "more": more})
            last[function] = text
        step.lines = f"{count(added, 'line')} added, {removed} removed" if step.diffs else ""
        yield step


def _function(name: str) -> str:
    return name.removesuffix(".mlir").partition(".")[2]


def _diff(before: str, after: str) -> Iterator[dict[str, str]]:
    kinds = {"+": "added", "-": "removed", "@": "place"}
    for line in diff_texts(before, after)[2:]:
        yield {"kind": kinds.get(line[:1], "same"), "text": line}


def _effects(effects: Sequence[PassEffect]) -> dict[tuple[str, str | None], float]:
    found: dict[tuple[str, str | None], float] = {}
    for before, now in pairwise(effects):
        key = (now.name, now.stage)
        found[key] = found.get(key, 0.0) + now.alone_ns - before.alone_ns
    return found


def _cards(program: Program, log: RewriteLog, steps: Sequence[_Step]) -> list[dict[str, str]]:
    total = sum(program.cost(f.name).total_ns for f in program.binary.functions)
    ops = sum(len(program.cost(f.name).ops) for f in program.binary.functions)
    seconds = sum(program.phases.values())
    changed = sum(bool(step.diffs) for step in steps)
    declined = len({(a.step, a.op, a.location, a.outcome) for a in log.attempts if a.number is None})
    longest = max(steps, key=lambda step: step.run.seconds, default=None)
    slow = f"longest: {longest.run.name}, {1000 * longest.run.seconds:.0f} ms" if longest else ""
    return [
        {"title": "predicted time", "value": duration(total), "note": count(ops, "op")},
        {"title": "compiled in", "value": f"{seconds:.2f} s", "note": slow},
        {"title": "passes", "value": str(len(steps)), "note": f"{changed} changed the module"},
        {"title": "rewrites applied", "value": str(log.applied), "note": f"{declined} declined"},
    ]


def _stages(effects: Sequence[PassEffect], steps: Sequence[_Step]) -> Iterator[dict[str, str]]:
    last, whole = effects[0] if effects else None, sum(step.run.seconds for step in steps)
    positions = {id(step): number for number, step in enumerate(step for step in steps if step.diffs)}
    for stage, group in groupby(steps, lambda step: step.run.stage):
        some = list(group)
        inside = [e for e in effects if e.stage == stage and stage is not None]
        now = inside[-1] if inside else last
        change = now.alone_ns - last.alone_ns if now and last else 0.0
        first = next((positions[id(step)] for step in some if id(step) in positions), None)
        seconds = sum(step.run.seconds for step in some)
        last = now
        if first is None and seconds < _NOTABLE * whole:
            continue
        yield {
            "name": stage or "outside of stages",
            "anchor": f"pass{first or 0}",
            "ms": f"{1000 * seconds:.1f}",
            "applied": str(sum(step.run.applied for step in some) or ""),
            "declined": str(sum(sum(step.run.declined.values()) for step in some) or ""),
            "ops": str(now.ops) if now else "",
            "us": f"{now.alone_ns / 1e3:.1f}" if now else "",
            **_change(change),
        }


def _change(ns: float | None) -> dict[str, str]:
    if not ns or abs(ns) < 1:
        return {"change": "", "kind": ""}
    return {"change": f"{ns / 1e3:+.1f}", "kind": "fewer" if ns < 0 else "more"}


def _pass(number: int, step: _Step, attempts: Sequence[Attempt]) -> dict[str, Any]:
    outcomes: dict[str, list[str]] = {}
    for attempt in dict.fromkeys(attempts):
        title = "applied" if attempt.outcome == APPLIED else f"declined: {attempt.outcome}"
        outcomes.setdefault(f"{attempt.name}, {title}", []).append(attempt.line)
    rows = [
        {"name": name, "lines": lines[:_PLACES], "more": max(len(lines) - _PLACES, 0)}
        for name, lines in outcomes.items()
    ]
    return {
        "name": step.run.name,
        "anchor": f"pass{number}",
        "stage": step.run.stage or "",
        "ms": f"{1000 * step.run.seconds:.1f}",
        "applied": count(step.run.applied, "rewrite") if step.run.applied else "",
        "lines": step.lines,
        "outcomes": rows,
        "diffs": step.diffs,
        **_change(step.change_ns),
    }


def _placement(function: str, trace: PlacementTrace) -> dict[str, Any]:
    bound = "" if trace.bound_ns is None else f", no placement takes less than {duration(trace.bound_ns)}"
    about = f"{trace.policy}: {duration(trace.predicted_ns)}{bound}; {count(len(trace.decisions), 'op')}"
    return {"function": function, "about": about, "rows": [_decision(decision) for decision in trace.decisions]}


def _decision(decision: PlacementDecision) -> Mapping[str, str]:
    chosen = decision.candidates[decision.taken]
    others = [c for i, c in enumerate(decision.candidates) if i != decision.taken]
    best = min(others, key=lambda c: c.more_ns, default=None)
    return {
        "op": decision.op,
        "chosen": _where(chosen.candidate),
        "other": _where(best.candidate) if best else "",
        "more": f"{best.more_ns / 1e3:+.2f}" if best else "",
        "why": best.why if best else chosen.why,
        "location": decision.location,
    }


def _where(candidate: Candidate) -> str:
    layouts = ", ".join(dict.fromkeys(f"{x.memory_space} {x.memory_layout}" for x in candidate.device_op.results))
    return f"{candidate.device_op.grid} {layouts}"
