"""Each term takes part in the time of a kernel as it says."""

import pytest

from ttstack.cost import Combination, Term
from ttstack.cost.terms import LAUNCH, kernel_ns, largest
from ttstack.system_desc import load

CHIP = load("wormhole").chips[0]
BEFORE = dict.fromkeys(Term, 100.0)


@pytest.mark.parametrize("term", Term)
def test_more_of_a_term_is_more_time_of_the_kernel_unless_it_follows(term: Term) -> None:
    grown = kernel_ns(BEFORE | {term: 1e6}, {}, CHIP) - kernel_ns(BEFORE, {}, CHIP)
    match term.combination:
        case Combination.ADDED:
            assert grown == pytest.approx(1e6 - 100)
        case Combination.AFTER:
            assert grown == 0
        case Combination.MATH | Combination.STREAM:
            assert 1e6 - 400 < grown < 1e6


@pytest.mark.parametrize("term", Term)
def test_the_largest_is_named_where_it_counts(term: Term) -> None:
    assert largest(BEFORE | {term: 1e6}) == (term.counts_as or LAUNCH)


def test_what_hides_in_part_or_runs_in_lanes_overlaps_as_its_lanes() -> None:
    alone = {Term.DRAM: 1000.0}
    assert kernel_ns(alone, {Term.DRAM: [400.0, 0.0]}, CHIP) == 400
    assert 400 < kernel_ns(alone, {Term.DRAM: [400.0, 400.0]}, CHIP) < 800


def test_a_kernel_that_does_nothing_takes_no_time() -> None:
    assert kernel_ns({}, {}, CHIP) == 0
