"""Candidates of rewrites: each is built in place and priced, and the cheapest is kept."""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from typing_extensions import TypeIs

from ttstack.dialects.built_ops import record_ops
from ttstack.dialects.defining_op import defining_op
from ttstack.dialects.op_groups import in_block_order
from ttstack.mlir import ir
from ttstack.passes.outcomes import SLOWER
from ttstack.passes.ttir.queries.compile_time import parameters

Values = ir.Value | Sequence[ir.Value]
Candidate = Callable[[], Values | None]
"""Builds the values that replace the results of an op; returns None if that is impossible."""


@dataclass(frozen=True)
class Assuming:
    """A candidate that is correct under an assumption, which is recorded if the candidate is kept."""

    build: Candidate
    record: Callable[[], bool]
    """Returns False if the assumption is known not to hold."""

    def __call__(self) -> Values | None:
        """Build the values."""
        return self.build()


@dataclass(frozen=True)
class Declined:
    """A rewrite that matches an op but does not apply, with the reason."""

    reason: str
    """The reason as a clause, such as "the mask has a row for each head"."""
    detail: str = ""
    """Predicted times that decided, such as "12.3 µs now, 13.1 µs with the fastest candidate"."""


Outcome = Values | Candidate | Iterable[Candidate] | Declined | None
"""The result of a rewrite: replacement values, candidates, a reason for declining, or None if it does not match."""

Replacement = Mapping[ir.Value, ir.Value]
"""Results of several ops of a block, each with its replacement."""
GroupCandidate = Callable[[], Replacement]
"""Builds values that replace results of several ops, at an insertion point of its choice."""


@dataclass(frozen=True)
class Canonical:
    """A candidate that is kept regardless of its predicted time, because other rewrites match what it builds."""

    build: GroupCandidate

    def __call__(self) -> Replacement:
        """Build the values."""
        return self.build()


TOO_SLOW = Declined(SLOWER)
REFUTED = Declined("an assumption of the fastest candidate does not hold")

_Built = TypeVar("_Built")
_Kept = TypeVar("_Kept")

Cost = Callable[[Sequence[ir.Operation], Sequence[ir.Value]], float]
"""Returns the predicted nanoseconds of ops whose results are these values."""


def choose(
    op: ir.Operation, rewrite: Callable[[ir.Operation], Outcome], cost: Cost
) -> list[ir.Value] | Declined | None:
    """Build the candidates of a rewrite for an op, and keep the one with the least predicted time if it saves time.

    The predicted time of a candidate is that of the added ops, less that of the ops that become unused. Compile-time
    constants cost nothing. Other candidates are erased.

    Returns:
        The values that replace the op's results, the reason for declining, or None if nothing matches.
    """
    with record_ops() as built:
        outcome = rewrite(op)
    if outcome is None or isinstance(outcome, Declined):
        _erase(built)
        return outcome
    if _is_values(outcome):
        times = _times(_replacement(op, outcome), built, cost)
        if times.gain > _NO_GAIN:
            return _as_list(outcome)
        _erase(built)
        return times.declined
    built_candidates = (
        (candidate, built, None if values is None else _replacement(op, values))
        for candidate, built, values in _build_each(outcome)
    )
    best = _cheapest(built_candidates, cost)
    if best is None or isinstance(best, Declined):
        return best
    return REFUTED if isinstance(best, Assuming) and not best.record() else _as_list(best())


def build_first(outcome: Outcome) -> list[ir.Value] | Declined | None:
    """Keep the first candidate that can be built, whatever its predicted time; return as `choose` does."""
    if outcome is None or isinstance(outcome, Declined):
        return outcome
    if _is_values(outcome):
        return _as_list(outcome)
    for _, built, values in _build_each(outcome):
        if values is not None:
            return _as_list(values)
        _erase(built)
    return None


def replace_group(
    candidates: Iterable[GroupCandidate], cost: Cost, on_replace: Callable[[ir.Operation], object] = lambda _: None
) -> Declined | None:
    """Build the candidates for a group of ops, and replace the ops by the one that saves most time.

    Ops that become unused and other candidates are erased. `on_replace` is called with the first op that is replaced.

    Returns:
        The reason for declining, or None after a replacement.
    """
    alternatives = [*candidates]
    canonical = next((candidate for candidate in alternatives if isinstance(candidate, Canonical)), None)
    best = canonical or _cheapest(_build_each(alternatives), cost)
    if best is None or isinstance(best, Declined):
        return best or TOO_SLOW
    with record_ops() as built:
        replacement = best()
    on_replace(ir.OpResult(next(iter(replacement))).owner.operation)
    _substitute(replacement, built)
    return None


def _substitute(replacement: Replacement, built: Sequence[ir.Operation]) -> None:
    dying = _dying(replacement, built)
    for value, other in replacement.items():
        value.replace_all_uses_with(other)
    _erase(in_block_order(dying))


def _build_each(
    candidates: Callable[[], _Built] | Iterable[Callable[[], _Built]],
) -> Iterator[tuple[Callable[[], _Built], list[ir.Operation], _Built]]:
    for candidate in [candidates] if callable(candidates) else candidates:
        with record_ops() as built:
            values = candidate()
        yield candidate, built, values


def _cheapest(
    built_candidates: Iterable[tuple[_Kept, list[ir.Operation], Replacement | None]], cost: Cost
) -> _Kept | Declined | None:
    """Return the candidate that saves most time, and erase all others.

    Returns:
        The times of the fastest candidate if none saves enough, None if none can be built.
    """
    best: _Kept | Declined | None = None
    most, fastest = _NO_GAIN, math.inf
    for candidate, built, replacement in built_candidates:
        if replacement is not None:
            times = _times(replacement, built, cost)
            if times.gain > most:
                best, most = candidate, times.gain
            elif best is None or (isinstance(best, Declined) and times.then < fastest):
                best, fastest = times.declined, times.then
        _erase(built)
    return best


def _is_values(outcome: Values | Candidate | Iterable[Candidate]) -> TypeIs[Values]:
    """Return True for values that are built already."""
    return isinstance(outcome, ir.Value) or (isinstance(outcome, Sequence) and not any(map(callable, outcome)))


def _replacement(op: ir.Operation, values: Values) -> Replacement:
    return dict(zip(op.results, _as_list(values), strict=True))


def _as_list(values: Values | None) -> list[ir.Value]:
    """List the values that replace an op's results."""
    assert values is not None
    return [values] if isinstance(values, ir.Value) else [*values]


def _erase(built: Sequence[ir.Operation]) -> None:
    """Erase ops that only each other use, the last first."""
    for op in reversed(built):
        op.erase()


_NO_GAIN = (0.0, 0.0)
LEAST_SHARE_SAVED = 0.05
"""The minimum share of the predicted time of replaced ops that a candidate must save.

Ops are priced separately from their neighbours, although they share layouts with them, so smaller savings are
uncertain. Fitted on the networks of docs/rewrites.json, some of which are slower with 0 and with 0.1."""


def saves_enough(now: float, then: float) -> bool:
    """Return True if `then` is below the predicted time `now` by at least the minimum share."""
    return then <= (1 - LEAST_SHARE_SAVED) * now


@dataclass(frozen=True)
class _Times:
    """Predicted nanoseconds of ops that die with a replacement, and of those that it adds."""

    now: float
    then: float

    @property
    def gain(self) -> tuple[float, float]:
        """The nanoseconds that the replacement saves, and the time of the added ops, negated.

        They order candidates for an op without room too: it takes infinitely long, so that all candidates save as much.
        """
        return (self.now - self.then, -self.then) if saves_enough(self.now, self.then) else _NO_GAIN

    @property
    def declined(self) -> Declined:
        """The reason for not keeping the replacement."""
        return Declined(SLOWER, f"{self.now / 1e3:.1f} µs now, {self.then / 1e3:.1f} µs with the fastest candidate")


def _times(replacement: Replacement, added: Sequence[ir.Operation], cost: Cost) -> _Times:
    """Price a replacement; compile-time constants cost nothing."""
    known = parameters()
    dying = _dying(replacement, added)
    before, after = ([o for o in ops if known.about(o.results[0]) is None] for ops in (dying, added))
    return _Times(cost(before, [*replacement]), cost(after, [*replacement.values()]))


def _dying(replacement: Replacement, added: Sequence[ir.Operation]) -> list[ir.Operation]:
    """Return the replaced ops, and the ops that become unused with the replacement."""
    dying = [*dict.fromkeys(ir.OpResult(value).owner.operation for value in replacement)]
    pending, kept = [*dying], {*replacement.values()}
    while pending:
        for producer in filter(None, map(defining_op, pending.pop().operands)):
            readers = {use.owner.operation for result in producer.results for use in result.uses}
            is_kept = any(result in kept for result in producer.results)
            if producer not in dying and producer not in added and not is_kept and readers <= {*dying}:
                dying.append(producer)
                pending.append(producer)
    return dying
