"""What is searched: choices that can pay, and greedy looks at the next users of what it makes."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from tests.ops.sized import sized
from tests.placement.problems import random_problem
from ttstack.placement import Graph, Node
from ttstack.placement.default_layouts import default_layouts
from ttstack.placement.formulate import Formulation, formulate
from ttstack.placement.greedy import greedy_choices
from ttstack.placement.pricing import Pricing
from ttstack.placement.problem import Decision, Problem, Read
from ttstack.placement.revise import make_room, revise
from ttstack.system_desc import load

CHIP = load("wormhole").chips[0]


def read(value: int, *costs: float) -> Read:
    """What a reader of a value with as many options pays to have it in the first one."""
    cost = np.array([costs], dtype=float).T
    none = np.zeros(cost.shape, dtype=np.int64)
    return Read(value, cost, none, none, cost > 0)


def step(value: int, reads: tuple[Read, ...], *costs: float) -> Decision:
    """An op whose choices give as many options of the value."""
    choices = len(costs)
    needs, gives = np.zeros((choices, len(reads)), dtype=np.int64), np.arange(choices).reshape(-1, 1)
    return Decision(reads, (value,), needs, gives, np.array(costs, dtype=float), np.zeros(choices, dtype=np.int64), ())


@pytest.mark.parametrize(("change", "chosen"), [(1.0, 0), (5.0, 1)])
def test_greedy_takes_what_is_best_with_the_next_user(change: float, chosen: int) -> None:
    """The second choice costs 2 more, and spares its reader the change."""
    steps = (step(0, (), 3.0, 5.0), step(1, (read(0, change, 0.0),), 1.0))
    assert greedy_choices(Problem(((0, 0), (0,)), steps, (100, 100))) == [chosen, 0]


def test_greedy_looks_at_two_users() -> None:
    """Each would pay 3: one alone is not worth 5, both are; a third is not seen."""
    readers = [step(i, (read(0, 3.0, 0.0),), 1.0) for i in (1, 2, 3)]
    for users, extra, chosen in ((1, 5.0, 0), (2, 5.0, 1), (3, 7.0, 0)):
        steps = (step(0, (), 0.0, extra), *readers[:users])
        problem = Problem(((0, 0), *[(0,)] * users), steps, (100,) * (users + 1))
        assert greedy_choices(problem)[0] == chosen


def test_a_choice_is_taken_anew_once_all_users_are_known() -> None:
    """Three users would pay 3 each, of which greedy sees two."""
    readers = [step(i, (read(0, 3.0, 0.0),), 1.0) for i in (1, 2, 3)]
    problem = Problem(((0, 8), *[(0,)] * 3), (step(0, (), 0.0, 7.0), *readers), (100,) * 4)
    assert revise(problem, greedy_choices(problem)) == [1, 0, 0, 0]
    full = Problem(problem.sizes, problem.steps, (100, 100, 7, 100))
    assert revise(full, greedy_choices(full)) == [0, 0, 0, 0], "no room at a step at which it is there"


def test_choices_that_are_taken_anew_fit_and_cost_less() -> None:
    rng = np.random.default_rng(0)
    fewer = 0
    for _ in range(300):
        problem = random_problem(rng, int(rng.integers(1, 9)))
        start = greedy_choices(problem)
        found = revise(problem, start)
        assert problem.fits(found)
        assert problem.total(found) <= problem.total(start)
        fewer += problem.total(found) < problem.total(start)
        for at, of in enumerate(problem.steps):
            others = ([*found[:at], choice, *found[at + 1 :]] for choice in range(of.choices))
            assert all(problem.total(o) >= problem.total(found) - 1e-2 for o in others if problem.fits(o))
    assert fewer


def two_steps() -> Problem:
    """A value of 60 bytes, or in DRAM at 5 more, beside a step that takes 10 in place of 50 with 80 bytes of its own."""
    made = replace(step(0, (), 5.0, 0.0), scratch=np.array([1, 1]))
    beside = step(1, (read(0, 0.0, 0.0),), 50.0, 10.0)
    beside = replace(beside, gives=np.zeros((2, 1), dtype=np.int64), scratch=np.array([10, 80]), dies=(0, 1))
    return Problem(((0, 60), (0,)), (made, beside), (100, 100))


def test_room_is_made_for_a_choice_that_needs_it() -> None:
    problem = two_steps()
    start = revise(problem, greedy_choices(problem))
    assert (start, problem.total(start)) == ([1, 0], 50)
    assert make_room(problem, start, lambda _: True) == [0, 1]
    assert make_room(problem, start, lambda _: False) == start, "without addresses nothing changes"
    assert make_room(problem, [0, 1], lambda _: True) == [0, 1]


def test_what_room_is_made_for_fits_and_costs_less() -> None:
    rng = np.random.default_rng(0)
    fewer = 0
    for _ in range(300):
        problem = random_problem(rng, int(rng.integers(1, 9)))
        start = revise(problem, greedy_choices(problem))
        refused = int(rng.integers(0, 4))

        def stands(chosen: Sequence[int], refused: int = refused) -> bool:
            return list(chosen).count(refused) < 2

        for allowed in (lambda _: True, stands):
            found = make_room(problem, start, allowed)
            assert problem.fits(found)
            assert problem.total(found) <= problem.total(start)
            assert found == start or allowed(found)
            fewer += problem.total(found) < problem.total(start)
    assert fewer


@pytest.fixture(scope="module")
def formulation() -> Formulation:
    ops = [sized("relu", 512).op, sized("matmul", 512).op, sized("softmax", 512).op]
    t = ops[0].operands[0]
    nodes = (Node(ops[0], (0,), (2,)), Node(ops[1], (2, 1), (3,)), Node(ops[2], (3,), (4,)))
    graph = Graph((t,) * 5, (0, 1), nodes, (4,), parameters=(1,))
    return formulate(graph, default_layouts(graph), Pricing(CHIP), {}, l1=True, grids=True)


def test_no_choice_is_searched_that_another_beats_wherever_it_fits(formulation: Formulation) -> None:
    problem = formulation.problem
    for at in formulation.candidates:
        of = problem.steps[at]
        beside = sum(max(problem.sizes[v]) for v in problem.live[at]) + sum(int(r.copied.max()) for r in of.reads)
        layouts = [(*of.needs[i].tolist(), *of.gives[i].tolist()) for i in range(of.choices)]
        for i, layout in enumerate(layouts):
            if beside + of.scratch[i] <= problem.capacity[at]:
                slower = [j for j, other in enumerate(layouts) if other == layout and of.cost[j] > of.cost[i]]
                assert not slower, (at, i, slower)
    assert len(formulation.candidates) == 3


def test_of_the_ways_to_run_an_op_none_is_slower_with_as_much_l1() -> None:
    op = sized("matmul", 512).op
    graph = Graph((*op.operands, *op.results), (0, 1), (Node(op, (0, 1), (2,)),), (2,))
    made = formulate(graph, default_layouts(graph), Pricing(CHIP), {}, l1=False, grids=False)
    (found,) = made.candidates.values()
    pricing = Pricing(CHIP)
    every = [way for c in found for way in pricing.configure(c.device_op, [c.device_op.grid])]
    front = pricing.front([*every, *every])
    assert len(every) > len(front) > 1
    assert [c.ns for c in front] == sorted({c.ns for c in front})
    assert [c.circular_buffer_bytes for c in front] == sorted({c.circular_buffer_bytes for c in front}, reverse=True)
    fastest = min(pricing.price(way).ns for way in every)
    assert front[0].ns == fastest
