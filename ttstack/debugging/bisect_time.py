"""Find the pass and the application of a rewrite that make a program slower than another one."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ttstack.compiled_program import Program
from ttstack.compiler import compile_module
from ttstack.debugging.search import first_true
from ttstack.debugging.snapshot import Snapshot
from ttstack.mlir import ir
from ttstack.options.model import CompileOptions
from ttstack.passes.base import PASSES
from ttstack.passes.instrumented import Instruments
from ttstack.passes.rewrite_log import Attempt, RewriteLog
from ttstack.passes.weights import Weights

NOTABLE = 0.01
"""The share by which a program is slower that is looked into."""


@dataclass(frozen=True)
class SlowerRewrite:
    """A rewrite without which a program is faster."""

    step: str
    attempt: Attempt | None
    """The first application that costs more than half of the difference; None of a pass without numbered ones."""
    without_ns: float
    """Predicted time if the pass is left out."""


@dataclass(frozen=True)
class LongerPlace:
    """A place in the source whose ops take longer than before."""

    location: str
    before_ns: float
    now_ns: float
    before: tuple[str, ...]
    """Names of the ops."""
    now: tuple[str, ...]


@dataclass(frozen=True)
class TimeBisection:
    """Why a program is slower than another."""

    before_ns: float
    now_ns: float
    slower: SlowerRewrite | None
    """None if no single pass makes the program slower."""
    declined: Sequence[Attempt]
    """Rewrites that were not applied at ops that take longer now; empty if a pass was found."""
    longer: Sequence[LongerPlace] = ()
    """Places that take longer, those with the largest difference first; empty if a pass was found."""

    @property
    def is_slower(self) -> bool:
        """True if the program is notably slower."""
        return self.now_ns > self.before_ns * (1 + NOTABLE)


def bisect_time(
    module: ir.Module,
    options: CompileOptions,
    weights: Weights,
    before: Program,
    on_step: Callable[[str], object] = lambda _: None,
) -> TimeBisection:
    """Compile a model without each of its passes, and find the one that makes it slower than an earlier program.

    Args:
        module: The model.
        options: Of its compilation.
        weights: Values of parameters.
        before: The faster program.
        on_step: Called with what is done next.

    Raises:
        TTStackError: the model does not compile.
    """
    source = Snapshot.of(module, weights)

    def compiled(log: RewriteLog, without: Sequence[str] = ()) -> Program:
        chosen = options.model_copy(update={"without": (*(options.without or ()), *without)})
        arrays = source.weights.arrays
        return Program(
            compile_module(source.module(), chosen, weights=arrays, instruments=Instruments(rewrites=log)).binary
        )

    on_step("compile")
    log = RewriteLog(keeps_declined=True)
    program = compiled(log)
    goal, now = total_ns(before), total_ns(program)
    if now <= goal * (1 + NOTABLE):
        return TimeBisection(goal, now, None, ())
    times: dict[str, float] = {}
    tried = list(dict.fromkeys(a.step for a in log.applications if a.step in PASSES and PASSES[a.step].optional))
    for step in tried:
        on_step(f"compile without {step}")
        times[step] = total_ns(compiled(RewriteLog(), [step]))
    best = min(times, key=lambda step: times[step], default=None)
    if best is None or times[best] > now - NOTABLE * now:
        longer = _longer(program, before)
        return TimeBisection(goal, now, None, _declined(longer, log), longer)
    own = [a for a in log.applications if a.step == best]
    middle = (times[best] + now) / 2
    on_step(f"find the application in {best}")
    first = first_true(1, len(own), lambda n: total_ns(compiled(RewriteLog(n, best))) > middle)
    return TimeBisection(goal, now, SlowerRewrite(best, own[first - 1], times[best]), ())


def total_ns(program: Program) -> float:
    """Return the predicted nanoseconds of all functions."""
    return sum(program.cost(function.name).total_ns for function in program.binary.functions)


def _declined(longer: Sequence[LongerPlace], log: RewriteLog) -> list[Attempt]:
    """Rewrites that were declined at places that take longer than before."""
    places = {place.location for place in longer}
    return [a for a in dict.fromkeys(log.attempts) if a.number is None and a.location in places]


def _longer(now: Program, before: Program) -> list[LongerPlace]:
    old, new = _by_location(before), _by_location(now)
    places = {**old, **new}
    found = [
        LongerPlace(
            location=place,
            before_ns=sum(ns for _, ns in old[place]),
            now_ns=sum(ns for _, ns in new[place]),
            before=tuple(name for name, _ in old[place]),
            now=tuple(name for name, _ in new[place]),
        )
        for place in places
    ]
    longer = [place for place in found if place.now_ns > place.before_ns]
    return sorted(longer, key=lambda place: place.before_ns - place.now_ns)


def _by_location(program: Program) -> defaultdict[str, list[tuple[str, float]]]:
    found: defaultdict[str, list[tuple[str, float]]] = defaultdict(list)
    for function in program.binary.functions:
        for op in program.cost(function.name).ops:
            found[op.location].append((op.name, op.ns))
    return found
