"""Ops in forms that the library's signatures allow and no candidate of ours need have: are both verdicts alike?

Ranks from 1 to 6, all formats, rows and tiles, both memories, shards of any kind on any cores, all attributes.
"""

from collections.abc import Iterator, Sequence

from benchmarks.library_campaign.configurations import compared
from benchmarks.library_campaign.draw_form import drawn
from benchmarks.library_campaign.outcome import Outcome, numbered

BATCH = 125
keys = numbered(2000)
"""One a form."""


def judged(seed: int, keys: Sequence[str]) -> Iterator[Outcome]:
    """Whether both verdicts on the forms with these keys are alike."""
    return compared("form", drawn, seed, keys)
