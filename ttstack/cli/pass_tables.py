"""Tables of passes by stage: seconds, rewrites, and the effect on a module."""

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
    """Write seconds of phases, of stages and their passes, and their total, to stderr."""
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
    """Write counts of applied and declined rewrites by stage and pass, with the conditions."""
    from ttstack.cli.render import show
    from ttstack.passes.outcomes import SLOWER

    rows: list[dict[str, Any]] = []
    matching = [run for run in passes if run.applied or run.declined or run.patterns]
    for stage, group in groupby(matching, lambda run: run.stage):
        runs = list(group)
        counts = [_counts(run.applied, run.declined) for run in runs]
        if stage is not None:
            rows.append(_row(stage, *(sum(column) for column in zip(*counts, strict=True))))
        for run, numbers in zip(runs, counts, strict=True):
            title = _title(run.name, stage)
            rows.append(_row(title, *numbers))
            indent = title.removesuffix(run.name) + _INDENT
            rows += [_row(indent + name, *_counts_of_pattern(found)) for name, found in run.patterns.items()]
    if rows:
        show(stderr(), rows)
    for run in matching:
        reasons = "; ".join(f"{count} x {reason}" for reason, count in run.declined.items() if reason != SLOWER)
        for line in wrap(f"{run.name}: {reasons}", _WIDTH, subsequent_indent=_INDENT) if reasons else ():
            stderr().print(line, soft_wrap=True, highlight=False)


def _counts_of_pattern(outcomes: Mapping[str, int]) -> tuple[int, int, int]:
    from ttstack.passes.outcomes import APPLIED

    return _counts(outcomes.get(APPLIED, 0), {why: count for why, count in outcomes.items() if why != APPLIED})


def _counts(applied: int, declined: Mapping[str, int]) -> tuple[int, int, int]:
    """Return how often rewrites were applied, not faster, and declined for any reason."""
    from ttstack.passes.outcomes import SLOWER

    return applied, declined.get(SLOWER, 0), sum(declined.values())


def _row(title: str, applied: int, slower: int, declined: int) -> dict[str, Any]:
    row: dict[str, Any] = {"rewrites": title, "matched": applied + declined, "applied": applied}
    return row | {"not faster": slower, "not allowed": declined - slower}


def print_effects(effects: "Sequence[PassEffect]") -> None:
    """Write the effect of each pass that changed the module or applies users' patterns, with sums of stages."""
    from ttstack.cli.render import show

    rows: list[dict[str, Any]] = []
    before = effects[0]
    changes = [now for last, now in pairwise(effects) if now.patterns or _figures(last) != _figures(now)]
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
