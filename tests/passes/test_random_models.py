"""A few models of the campaign of random ones, with all rewrites and without any."""

from random import Random

import pytest

from benchmarks.random_models.check import check
from benchmarks.random_models.draw import draw


@pytest.mark.parametrize("number", [1, 9, 22, 27])
@pytest.mark.filterwarnings("ignore")
def test_values_are_those_of_pytorch(number: int) -> None:
    example = draw(1, number)
    assert list(check(example, Random(number), thorough=False)) == [], example.about
