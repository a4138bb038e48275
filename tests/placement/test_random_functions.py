"""Random functions of up to eight ops on random devices: the optimum is one, and its memory holds.

`pytest tests/placement/test_random_functions.py --hypothesis-profile thousand` tries a thousand.
"""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given

from tests.placement.compiled import compiled_or_none
from tests.placement.devices import devices
from tests.placement.functions import functions
from tests.placement.problems import exhaustive
from ttstack.buffers.memory import Memory
from ttstack.buffers.packing import Life, allocate
from ttstack.device.layout import MemorySpace
from ttstack.placement.formulate import formulate
from ttstack.placement.graph_from_program import recover_graph
from ttstack.placement.greedy import NoRoomError, greedy_choices
from ttstack.placement.integer_program import solve_program
from ttstack.placement.pricing import Pricing
from ttstack.placement.problem import Problem
from ttstack.program.buffers import buffers, live_bytes
from ttstack.program.records import Function
from ttstack.system_desc import ChipDesc, SystemDesc
from ttstack_runtime.memory_check import check_memory

OPS = 8
CHOICES = 4
COMBINATIONS = 2**20
"""That exhaustive search tries at once."""


@given(text=functions(most=OPS), device=devices())
def test_the_optimum_is_one_and_its_memory_holds(text: str, device: SystemDesc):
    binary = compiled_or_none(text, device, placement="optimal")
    assume(binary is not None)
    assert binary is not None
    (function,) = binary.functions
    chip = device.chips[0]
    check_memory(function, chip)
    assert max(live_bytes(function, chip), default=0) <= chip.l1_usable_bytes
    _check_addresses(function, chip)
    problem = _problem(function, device)
    assume(np.prod([float(step.choices) for step in problem.steps]) <= COMBINATIONS)
    try:
        start = greedy_choices(problem)
    except NoRoomError:
        assert exhaustive(problem) == np.inf
        return
    proven = solve_program(problem, start, seconds=30)
    assert proven.chosen is not None
    assert problem.fits(proven.chosen)
    assert problem.total(proven.chosen) == pytest.approx(exhaustive(problem)) == pytest.approx(proven.bound)


def _check_addresses(function: Function, chip: ChipDesc) -> None:
    """Those in L1 are what the library's allocator gives, op by op."""
    memory = Memory.of(chip, MemorySpace.L1)
    there = [buffer for buffer in buffers(function, chip) if buffer.space is MemorySpace.L1]
    lives = [Life(buffer.nbytes, buffer.life.first, buffer.life.last, 0) for buffer in there]
    assert allocate(lives, memory.end, memory.alignment).addresses == tuple(buffer.start for buffer in there)


def _problem(function: Function, device: SystemDesc) -> Problem:
    """What the function was placed from, with few choices for each op, the first of which needs the least of L1."""
    found = recover_graph(function)
    formulation = formulate(found.graph, found.homes, Pricing(device.chips[0], device), {}, l1=True, grids=True)
    problem = formulation.problem
    rng = np.random.default_rng(len(problem.steps))
    assume(len(formulation.nodes) <= OPS)

    def some(choices: int) -> list[int]:
        return [0, *sorted(1 + rng.permutation(choices - 1)[: CHOICES - 1])]

    return replace(problem, steps=tuple(step.keep(some(step.choices)) for step in problem.steps))
