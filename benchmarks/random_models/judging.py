"""One model of a campaign, in the process that takes it."""

from random import Random
from typing import Any

from benchmarks.random_models.check import check
from benchmarks.random_models.draw import draw


def judge(seed: int, number: int) -> dict[str, Any]:
    """What became of one model; an error of the compiler is a fault too."""
    example = draw(seed, number)
    faults: list[str] = []
    try:
        faults += check(example, Random(f"{seed}/{number}/subsets"))
    except Exception as error:
        faults.append(f"{type(error).__name__}: {str(error).strip()[:500]}")
    return {"number": number, "about": example.about, "faults": faults}
