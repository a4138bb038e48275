"""Two sets of records: shares of moves, and times before and after."""

from collections.abc import Iterator, Sequence
from math import exp, log
from statistics import median

from benchmarks.unseen.measure import Record, is_counted

_LARGE = 0.20
"""Share of moves that is counted as large."""
_SLOWER = 1.02


def summary(records: Sequence[Record]) -> str:
    """How many networks compile, the median share of moves, and how many have a large one."""
    counted = [record for record in records if is_counted(record)]
    shares = [record["moving_us"] / record["us"] for record in counted if "us" in record]
    text = f"{len(shares)} of {len(counted)} networks compile"
    if not shares:
        return text
    large = sum(share > _LARGE for share in shares)
    return f"{text}; median share of moves {median(shares):.1%}, above {_LARGE:.0%} in {large}"


def comparison(before: Sequence[Record], after: Sequence[Record]) -> Iterator[str]:
    """Lines: the summaries, the geometric mean of time ratios, what got slower, and what compiles in one only."""
    yield f"before: {summary(before)}"
    yield f"after:  {summary(after)}"
    old, new = _times(before), _times(after)
    ratios = {name: new[name] / old[name] for name in old if name in new}
    if ratios:
        mean = exp(sum(map(log, ratios.values())) / len(ratios))
        yield f"geometric mean of time ratios of {len(ratios)}: {mean:.3f}"
    for name, ratio in sorted(ratios.items(), key=lambda item: -item[1]):
        if ratio > _SLOWER:
            yield f"slower: {name} {ratio - 1:+.1%}, {old[name]:,.1f} to {new[name]:,.1f} µs"
    yield from (f"compiles only before: {name}" for name in old if name not in new)
    yield from (f"compiles only after: {name}" for name in new if name not in old)


def _times(records: Sequence[Record]) -> dict[str, float]:
    return {f"{record['library']} {record['name']}": record["us"] for record in records if "us" in record}
