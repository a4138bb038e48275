"""Tables of passes by stage: seconds, what became of rewrites, and what each left of a module."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby, pairwise
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from ttstack.cli.console import stderr

if TYPE_CHECKING:
    from ttstack.passes.effects import PassEffect
    from ttstack.passes.pass_log import PassSummary

_WIDTH = 80
_INDENT = "  "


def print_timings(phases: Mapping[str, float], passes: "Sequence[PassSummary]" = ()) -> None:
    """Write seconds of phases, of each stage and its passes, and of all of them, to stderr."""
    names = [run.name for run in passes]
    others = [(name, seconds) for name, seconds in phases.items() if name not in names]
    first = next((i for i, name in enumerate(phases) if name in names), len(others))
    rows = [*others[:first], *_seconds(passes), *others[first:], ("total", sum(phases.values()))]
    width = max(len(name) for name, _ in rows)
    for name, seconds in rows:
        stderr().print(f"{name:{width}}  {1000 * seconds:9.1f} ms", soft_wrap=True)


def _seconds(passes: "Sequence[PassSummary]") -> Iterator[tuple[str, float]]:
    for stage, group in groupby(passes, lambda run: run.stage):
        runs = list(group)
        if stage is not None:
            yield stage, sum(run.seconds for run in runs)
        yield from ((_title(run.name, stage), run.seconds) for run in runs)


def _title(name: str, stage: str | None) -> str:
    return name if stage is None else _INDENT + name


def print_rewrites(passes: "Sequence[PassSummary]") -> None:
    """Write how often rewrites matched and were applied or declined, by stage and pass, and the conditions they met."""
    from ttstack.cli.render import show
    from ttstack.passes.outcomes import SLOWER

    rows: list[dict[str, Any]] = []
    matching = [run for run in passes if run.applied or run.declined]
    for stage, group in groupby(matching, lambda run: run.stage):
        counts = [(run.name, run.applied, run.declined.get(SLOWER, 0), sum(run.declined.values())) for run in group]
        if stage is not None:
            rows.append(_row(stage, *(sum(column) for column in zip(*(c[1:] for c in counts), strict=True))))
        rows += [_row(_title(name, stage), *numbers) for name, *numbers in counts]
    if rows:
        show(stderr(), rows)
    for run in matching:
        reasons = "; ".join(f"{count} x {reason}" for reason, count in run.declined.items() if reason != SLOWER)
        for line in wrap(f"{run.name}: {reasons}", _WIDTH, subsequent_indent=_INDENT) if reasons else ():
            stderr().print(line, soft_wrap=True, highlight=False)


def _row(title: str, applied: int, slower: int, declined: int) -> dict[str, Any]:
    row: dict[str, Any] = {"rewrites": title, "matched": applied + declined, "applied": applied}
    return row | {"not faster": slower, "not allowed": declined - slower}


def print_effects(effects: "Sequence[PassEffect]") -> None:
    """Write what each pass that changed the module left of it, with the sum of each stage."""
    from ttstack.cli.render import show

    rows: list[dict[str, Any]] = []
    before = effects[0]
    changes = [now for last, now in pairwise(effects) if _figures(last) != _figures(now)]
    for stage, group in groupby([before, *changes], lambda effect: effect.stage):
        left = list(group)
        if stage is not None:
            rows.append(_effect(stage, left[-1], before))
        for now in left:
            rows.append(_effect(_title(now.name, stage), now, before))
            before = now
    show(stderr(), rows)


def _figures(effect: "PassEffect") -> tuple[int, int, float]:
    return effect.ops, effect.nbytes, effect.alone_ns


def _effect(title: str, now: "PassEffect", before: "PassEffect") -> dict[str, Any]:
    row: dict[str, Any] = {"pass": title, "ops": now.ops, "MiB": now.nbytes / 2**20, "µs": now.alone_ns / 1000}
    return row | {"± µs": (now.alone_ns - before.alone_ns) / 1000}
