"""Candidates: each is built in place, priced as built against the ops that die, and the cheapest is kept."""

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
"""Builds the values that can replace the results of an op; None where the op cannot be built so."""


@dataclass(frozen=True)
class Assuming:
    """A candidate with values that are the op's under an assumption, which is recorded if the candidate is kept."""

    build: Candidate
    record: Callable[[], bool]
    """Returns False if the assumption is known not to hold."""

    def __call__(self) -> Values | None:
        """Build the values."""
        return self.build()


@dataclass(frozen=True)
class Declined:
    """A rewrite that matches an op and must not be applied to it."""

    reason: str
    """A clause such as "the mask has a row for each head"."""


Outcome = Values | Candidate | Iterable[Candidate] | Declined | None
"""A rewrite's answer for an op: values in place of its results, candidates for them, or none, perhaps with a reason."""

Replacement = Mapping[ir.Value, ir.Value]
"""Results of several ops of a block, each with the value that replaces it."""
GroupCandidate = Callable[[], Replacement]
"""Builds values that can replace results of several ops, where it says itself: at the first, or at each of them."""


@dataclass(frozen=True)
class Canonical:
    """A candidate that is kept whatever its predicted time: other rewrites look for what it builds."""

    build: GroupCandidate

    def __call__(self) -> Replacement:
        """Build the values."""
        return self.build()


TOO_SLOW = Declined(SLOWER)
REFUTED = Declined("an assumption of the fastest candidate does not hold")

_Built = TypeVar("_Built")
_Kept = TypeVar("_Kept")

Cost = Callable[[Sequence[ir.Operation], Sequence[ir.Value]], float]
"""Returns the predicted nanoseconds of ops, from which these values go on."""


def choose(
    op: ir.Operation, rewrite: Callable[[ir.Operation], Outcome], cost: Cost
) -> list[ir.Value] | Declined | None:
    """Build the candidates of a rewrite for an op, and keep the one with the least predicted time if it saves time.

    The predicted time of a candidate is that of the ops that it adds, less that of the ops that lose their last use.
    Compile-time constants cost nothing. Candidates that are not kept are erased.

    Returns:
        The values that replace the op's results, the reason for which there are none, or None where nothing matches.
    """
    with record_ops() as built:
        outcome = rewrite(op)
    if outcome is None or isinstance(outcome, Declined):
        _erase(built)
        return outcome
    if _is_values(outcome):
        if _gain(_replacement(op, outcome), built, cost) > _NO_GAIN:
            return _as_list(outcome)
        _erase(built)
        return TOO_SLOW
    built_candidates = (
        (candidate, built, None if values is None else _replacement(op, values))
        for candidate, built, values in _build_each(outcome)
    )
    best = _cheapest(built_candidates, cost)
    if best is None:
        return TOO_SLOW
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


def replace_group(candidates: Iterable[GroupCandidate], cost: Cost) -> Declined | None:
    """Build the candidates for a group of ops, and replace the ops by the one that saves most time.

    Ops that lose their last use are erased, and so are candidates that are not kept.

    Returns:
        The reason for which nothing was replaced, or None.
    """
    alternatives = [*candidates]
    canonical = next((candidate for candidate in alternatives if isinstance(candidate, Canonical)), None)
    best = canonical or _cheapest(_build_each(alternatives), cost)
    if best is None:
        return TOO_SLOW
    with record_ops() as built:
        replacement = best()
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
) -> _Kept | None:
    """Return the candidate that saves most time, None if none saves enough; erase all that was built."""
    best, most = None, _NO_GAIN
    for candidate, built, replacement in built_candidates:
        gain = _NO_GAIN if replacement is None else _gain(replacement, built, cost)
        if gain > most:
            best, most = candidate, gain
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
"""The least share of the predicted time of the ops that die which a candidate saves to be kept.

Ops are priced separately from their neighbours, although they share layouts with them: a smaller saving is not certain.
Fitted on the networks of docs/rewrites.json, some of which are slower with 0 and with 0.1.
"""


def saves_enough(now: float, then: float) -> bool:
    """Return True if `then` is less than the predicted time `now` by the least share, or by more."""
    return then <= (1 - LEAST_SHARE_SAVED) * now


def _gain(replacement: Replacement, added: Sequence[ir.Operation], cost: Cost) -> tuple[float, float]:
    """Return the nanoseconds that a replacement saves, and the time of the added ops, negated.

    They order candidates for an op without room too: it takes infinitely long, so that all candidates save as much.
    """
    known = parameters()
    dying = _dying(replacement, added)
    before, after = ([o for o in ops if known.about(o.results[0]) is None] for ops in (dying, added))
    now, then = cost(before, [*replacement]), cost(after, [*replacement.values()])
    return (now - then, -then) if saves_enough(now, then) else _NO_GAIN


def _dying(replacement: Replacement, added: Sequence[ir.Operation]) -> list[ir.Operation]:
    """The replaced ops, and the ops that only they need once the added ones are in their place."""
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
