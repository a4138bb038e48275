"""Times that overlap add up to the largest, and a little more where several are close."""

import pytest

from ttstack.system_desc.soft_maximum import soft_maximum


def test_the_largest_counts() -> None:
    assert soft_maximum((), 4) == 0
    assert soft_maximum((0, 7, 0), 4) == 7
    assert soft_maximum((3, 4), 2) == pytest.approx(5)
    assert soft_maximum((2, 2), 4) == pytest.approx(2 * 2**0.25)


@pytest.mark.parametrize("times", [(1e-6, 1e9), (1e9, 1e-6, 1.0)])
def test_times_far_apart_are_the_largest(times: tuple[float, ...]) -> None:
    assert soft_maximum(times, 40) == 1e9
