"""The orders with the least total predicted time: an integer program, as in placement, without a capacity."""

import math
from collections.abc import Collection, Mapping, Sequence

import numpy as np

from ttstack.ops.index_map import IndexMap
from ttstack.passes.rewriting.candidates import LEAST_SHARE_SAVED
from ttstack.passes.rewriting.prices import Prices
from ttstack.passes.ttir.movement.moving import moving_ns
from ttstack.passes.ttir.orders.choices import Chooser, ordered
from ttstack.passes.ttir.orders.contents import Content
from ttstack.placement.integer_program import solve_program
from ttstack.placement.problem import Decision, Problem, Read

_SECONDS = 20.0
_NODES = 200
"""Maximum number of nodes of the integer program, whose relaxation is nearly always integral."""


def solve(group: Sequence[Chooser], kept: Collection[int], prices: Prices) -> tuple[list[int], float]:
    """Return the number of each op's choice, and the share of the predicted time that these save.

    Args:
        group: Ops whose choices depend on each other.
        kept: Identities of contents that keep the order of their root.
        prices: Predicted times of ops.
    """
    moving = sum(_moving_ns(chooser, prices) for chooser in group)
    computing = sum(chooser.ns(chooser.choices[0], prices) for chooser in group) if moving else 0.0
    if moving <= LEAST_SHARE_SAVED * (moving + computing):
        return [0] * len(group), 0.0  # moves are what orders save
    contents = list({id(c): c for chooser in group for c in _contents(chooser)}.values())
    numbers = {id(content): i for i, content in enumerate(contents)}
    made = {id(c.makes): {choice.makes for choice in c.choices} for c in group if c.makes is not None}
    steps = tuple(_decision(chooser, numbers, made, kept, prices) for chooser in group)
    sizes = tuple((0,) * len(content.orders) for content in contents)
    problem = Problem(sizes, steps, (0,) * len(steps))
    start = [0] * len(steps)
    chosen = solve_program(problem, start, _SECONDS, _NODES).chosen
    before = problem.total(start)
    if chosen is None or not before:
        return start, 0.0
    return [*chosen], 1 - problem.total(chosen) / before


def _moving_ns(chooser: Chooser, prices: Prices) -> float:
    """Return the predicted nanoseconds of the moves before an unchanged op."""
    reads = zip(chooser.reads, chooser.choices[0].reads, strict=True)
    return sum(_move_ns(place.content, place.content.orders[0], order, prices) for place, order in reads)


def _contents(chooser: Chooser) -> list[Content]:
    made = [chooser.makes] if chooser.makes else []
    return [*(place.content for place in chooser.reads), *made]


def _decision(
    chooser: Chooser,
    numbers: Mapping[int, int],
    made: Mapping[int, Collection[IndexMap | None]],
    kept: Collection[int],
    prices: Prices,
) -> Decision:
    choices, reads = chooser.choices, list[Read]()
    needs = np.zeros((len(choices), len(chooser.reads)), np.int64)
    for i, place in enumerate(chooser.reads):
        wanted = list(dict.fromkeys(choice.reads[i] for choice in choices))
        needs[:, i] = [wanted.index(choice.reads[i]) for choice in choices]
        content = place.content
        possible = made.get(id(content), content.orders[:1])
        cost = np.array(
            [
                [_move_ns(content, have, want, prices) if have in possible else math.inf for want in wanted]
                for have in content.orders
            ]
        )
        none = np.zeros(cost.shape, np.int64)
        reads.append(Read(numbers[id(place.content)], cost, none, none, cost > 0))
    writes = () if chooser.makes is None else (numbers[id(chooser.makes)],)
    gives = np.array(
        [[chooser.makes.orders.index(c.makes)] if chooser.makes and c.makes else [] for c in choices], np.int64
    )
    gives = gives.reshape(len(choices), len(writes))
    is_kept = id(chooser.makes) in kept
    ns = np.array(
        [math.inf if is_kept and choice.makes != choices[0].makes else chooser.ns(choice, prices) for choice in choices]
    )
    return Decision(tuple(reads), writes, needs, gives, ns, np.zeros(len(choices), np.int64), ())


def _move_ns(content: Content, have: IndexMap, want: IndexMap, prices: Prices) -> float:
    if have == want or content.is_known:
        return 0.0
    by = have.inverse.then(want)
    if by is not None:
        return moving_ns(ordered(content, have), by, prices)
    back = moving_ns(ordered(content, have), have.inverse, prices)
    return (
        back + moving_ns(ordered(content, IndexMap.identity(want.source)), want, prices)
        if math.isfinite(back)
        else back
    )
