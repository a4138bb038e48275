"""The results of a campaign, as they are stored: what became of how many, by kind."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from benchmarks.library_campaign.outcome import FINDINGS, Outcome


def path(campaign: str) -> Path:
    """Where the tallies of a campaign stand."""
    return Path(__file__).parent / f"{campaign}.txt"


def text(campaign: str, seed: int, outcomes: Iterable[Outcome]) -> str:
    """The whole file: a head, a line a kind, and what is refused or differs."""
    found = list(outcomes)
    commits = Counter(outcome.commit for outcome in found).most_common()
    at = ", ".join(f"{commit} ({n})" for commit, n in commits)
    ops = sum(outcome.ops for outcome in found)
    head = [
        f"{len(found)} {campaign} of {ops} ops, seed {seed}, at {at}",
        _counts(Counter(outcome.result for outcome in found)),
        *_alike([outcome for outcome in found if outcome.l1_there] if campaign == "zoo" else []),
        *(_verdicts(found) if campaign == "held_out" else []),
    ]
    kinds: dict[str, Counter[str]] = {}
    for outcome in found:
        kinds.setdefault(outcome.kind, Counter())[outcome.result] += 1
    table = [f"{kind:<44}{sum(tally.values()):>6}  {_counts(tally)}" for kind, tally in sorted(kinds.items())]
    others = [f"{o.key} {o.kind}: {o.result} {o.detail}" for o in found if o.finding]
    return "\n".join([*head, "", *table, *(["", *others] if others else [])]) + "\n"


def _verdicts(found: Sequence[Outcome]) -> Iterator[str]:
    """How many verdicts are alike, and where both sides take an op, bytes of buffers."""
    asked, taken = [o for o in found if o.result != "no call"], [o for o in found if o.result == "both take"]
    alike = sum(o.result.startswith("both") for o in asked)
    same = sum(o.same_buffers for o in taken)
    yield f"verdicts alike {alike} of {len(asked)}; bytes of circular buffers alike {same} of {len(taken)}"


def _alike(found: Sequence[Outcome]) -> Iterator[str]:
    """How much of what is allocated and chosen there is what we say, where both were asked for."""
    if found:
        parts = {
            "bytes of circular buffers": (sum(o.same_buffers for o in found), sum(o.ops for o in found)),
            "program factories": (sum(o.same_factories for o in found), sum(o.factories for o in found)),
            "peaks of L1, up to 2 %,": (sum(o.same_peak for o in found), len(found)),
        }
        yield "; ".join(f"{name} alike {same} of {count}" for name, (same, count) in parts.items())
        others = sum((Counter(o.other_buffers) for o in found), Counter[str]())
        yield f"other bytes of circular buffers: {', '.join(f'{name} {n}' for name, n in others.most_common())}"


def _counts(tally: Mapping[str, int]) -> str:
    return "  ".join(f"{result} {count}" for result, count in sorted(tally.items(), key=_order))


def _order(item: tuple[str, int]) -> tuple[bool, str]:
    return item[0] in FINDINGS, item[0]
