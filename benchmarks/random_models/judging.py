"""One model of a campaign, in the process that takes it."""

from random import Random
from typing import Any
from warnings import simplefilter

from benchmarks.random_models.check import check
from benchmarks.random_models.draw import draw
from ttstack.diagnostics import TTStackWarning


def judge(seed: int, number: int, kind: str | None = None) -> dict[str, Any]:
    """What became of one model; an error of the compiler is a fault too."""
    example = draw(seed, number, kind)
    faults: list[str] = []
    try:
        simplefilter("error", TTStackWarning)
        faults += check(example, Random(f"{seed}/{number}/subsets"), thorough=kind is None)
    except Exception as error:
        faults.append(f"{type(error).__name__}: {str(error).strip()[:500]}")
    return {"number": number, "about": example.about, "faults": faults}
