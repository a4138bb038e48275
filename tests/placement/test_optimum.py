"""The integer program finds the optimum, and its placements have addresses."""

import math
from dataclasses import replace

import highspy
import numpy as np
import pytest

from tests.placement.problems import exhaustive, random_problem
from ttstack.buffers.packing import Life, allocate, pack
from ttstack.placement.formulate import never_worse
from ttstack.placement.greedy import greedy_choices
from ttstack.placement.integer_program import solve_program
from ttstack.placement.optimal import solve_optimal
from ttstack.placement.problem import Decision, Problem, Read
from ttstack.placement.solve_with_addresses import Bank, timeline


@pytest.mark.parametrize("seed", range(10))
def test_the_optimum_is_that_of_exhaustive_search(seed: int):
    rng = np.random.default_rng(seed)
    for _ in range(100):
        problem = random_problem(rng, int(rng.integers(1, 9)))
        start = greedy_choices(problem)
        proven = solve_program(problem, start, seconds=30)
        assert proven.chosen is not None
        assert problem.fits(proven.chosen)
        assert problem.total(proven.chosen) == pytest.approx(exhaustive(problem)) == pytest.approx(proven.bound)
        assert problem.fits(start)
        assert problem.total(start) >= proven.bound - 1e-6


def test_threads_that_others_gave_the_solver_change_nothing():
    problem = random_problem(np.random.default_rng(0), 8)
    highspy.Highs.resetGlobalScheduler(True)
    others = highspy.Highs()
    others.setOptionValue("output_flag", False)
    others.setOptionValue("threads", 2)
    others.addBinary(obj=1.0)
    assert others.run() == highspy.HighsStatus.kOk
    proven = solve_program(problem, greedy_choices(problem), seconds=30)
    assert proven.bound == pytest.approx(exhaustive(problem))


def test_a_budget_that_ends_at_once_leaves_a_bound_that_holds():
    problem = random_problem(np.random.default_rng(0), 8)
    found = solve_optimal(problem, Bank(base=0, end=100, alignment=1), seconds=1e-9)
    assert found.bound is not None
    assert 0 < found.bound <= exhaustive(problem) + 1e-6
    assert problem.fits(found.chosen)


def test_nodes_end_the_search_with_a_bound_that_holds():
    problem = random_problem(np.random.default_rng(0), 8)
    start, best = greedy_choices(problem), exhaustive(problem)
    ended, solved = (solve_program(problem, start, math.inf, nodes) for nodes in (0, 10))
    assert solved.bound == pytest.approx(best)
    assert ended.bound < best - 1e-3
    assert ended.chosen is None or problem.total(ended.chosen) >= best - 1e-6


def test_nothing_is_lost_by_choices_that_are_left_out():
    left_out = 0
    for seed in range(200):
        problem = random_problem(np.random.default_rng(seed), 3, choices=12)
        kept = [never_worse(problem, at) for at in range(3)]
        fewer = replace(problem, steps=tuple(s.keep(k) for s, k in zip(problem.steps, kept, strict=True)))
        assert exhaustive(fewer) == exhaustive(problem)
        left_out += sum(12 - len(k) for k in kept)
    assert left_out > 0


@pytest.mark.parametrize("seed", range(5))
def test_placements_have_addresses_and_the_bound_holds_for_them(seed: int):
    rng = np.random.default_rng(seed)
    for _ in range(5):
        problem = random_problem(rng, 8)
        found = solve_optimal(problem, Bank(base=0, end=100, alignment=1), seconds=30)
        assert problem.fits(found.chosen)
        assert found.bound is not None
        assert problem.total(found.chosen) >= found.bound - 1e-6
        buffers, scratch, _ = timeline(problem, found.chosen)
        lives = [Life(n, first, last, max(scratch[first : last + 1])) for n, first, last in buffers]
        assert not allocate(lives, 100, 1).short


@pytest.mark.parametrize("seed", range(20))
def test_no_two_buffers_share_bytes_at_any_moment(seed: int):
    rng = np.random.default_rng(seed)
    starts = rng.integers(0, 30, 40)
    lives = [
        Life(int(n), int(s), int(s + d), 16)
        for n, s, d in zip(rng.integers(1, 90, 40), starts, rng.integers(0, 9, 40), strict=True)
    ]
    allocated, packed = allocate(lives, 4000, 8), pack(lives, 4000, 8)
    assert packed is not None
    assert not allocated.short
    for addresses in (allocated.addresses, packed):
        placed = list(zip(addresses, lives, strict=True))
        for i, (a, x) in enumerate(placed):
            assert a % 8 == 0
            assert x.floor <= a <= 4000 - x.nbytes
            for b, y in placed[:i]:
                assert x.last < y.first or y.last < x.first or a + x.nbytes <= b or b + y.nbytes <= a


def test_what_comes_to_life_lies_in_the_highest_gap_that_the_others_leave():
    lives = [Life(20, 0, 1, 0), Life(30, 0, 4, 0), Life(25, 2, 4, 0), Life(20, 3, 4, 0)]
    assert allocate(lives, 100, 1).addresses == (80, 50, 25, 80)
    assert pack(lives, 100, 1) == (50, 70, 45, 25)


def test_buffers_that_cannot_fit_are_named_with_the_bytes_that_they_lack():
    lives = [Life(60, 0, 1, 0), Life(60, 1, 2, 0)]
    assert allocate(lives, 100, 1).short == {1: 20}
    assert pack(lives, 100, 1) is None
    assert not allocate(lives, 120, 1).short
    assert pack(lives, 120, 1) == (60, 0)


def test_an_op_runs_in_one_way_though_two_would_please_its_readers():
    """Two ways that cost 1 each, and two readers each of which takes the result of one of them for nothing."""
    zeros = np.zeros((3, 3), int)
    other = ~np.eye(3, dtype=bool)
    read = Read(1, np.where(other, 10.0, 0.0), zeros, zeros, other)
    maker = Decision((), (1,), np.zeros((2, 0), int), np.array([[1], [2]]), np.array([1.0, 1.0]), np.array([1, 1]), ())
    readers = [
        Decision((read,), (value,), np.array([[needs]]), np.array([[0]]), np.array([1.0]), np.array([1]), dies)
        for value, needs, dies in ((2, 1, ()), (3, 2, (1,)))
    ]
    problem = Problem(((0,), (0, 5, 5), (0,), (0,)), (maker, *readers), (100,) * 3)
    proven = solve_program(problem, greedy_choices(problem), seconds=30)
    assert proven.bound == pytest.approx(13)
    assert proven.chosen is not None
    assert problem.total(proven.chosen) == pytest.approx(13)
