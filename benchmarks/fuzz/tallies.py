"""The results of a campaign, as they are stored: what became of how many inputs, by kind and by change."""

from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path

from benchmarks.fuzz.worker import Outcome

STORED = Path(__file__).parent / "tallies.txt"


def table(outcomes: Iterable[Outcome]) -> list[str]:
    """A line a kind, and below it a line a change: inputs, accepted, refused by code, findings."""
    kinds: dict[str, dict[str, Counter[str]]] = {}
    for outcome in outcomes:
        kinds.setdefault(outcome.kind, {}).setdefault(outcome.mutator, Counter())[outcome.result] += 1
    lines: list[str] = []
    for kind, mutators in sorted(kinds.items()):
        lines.append(_line(kind, sum(mutators.values(), Counter[str]())))
        lines += [_line(f"  {name}", tally) for name, tally in sorted(mutators.items())]
    return lines


def _line(name: str, tally: Mapping[str, int]) -> str:
    found = "  ".join(f"{result} {count}" for result, count in sorted(tally.items(), key=_order))
    return f"{name:<24}{sum(tally.values()):>6}  {found}"


def _order(item: tuple[str, int]) -> tuple[int, str]:
    return ("finding", "accepted").index(item[0]) if item[0] in ("finding", "accepted") else 2, item[0]


def text(outcomes: Iterable[Outcome], seed: int) -> str:
    """The whole file."""
    found = list(outcomes)
    total = Counter(outcome.result for outcome in found)
    findings = sorted(o.number for o in found if o.result == "finding")
    commits = Counter(outcome.commit for outcome in found).most_common()
    refused = len(found) - total["accepted"] - len(findings)
    head = [
        f"{len(found)} mutated inputs, seed {seed}, at {', '.join(f'{commit} ({n})' for commit, n in commits)}",
        f"accepted {total['accepted']}, refused {refused}, findings {len(findings)}",
        *([f"findings: {' '.join(map(str, findings))}"] if findings else []),
    ]
    return "\n".join([*head, "", *table(found)]) + "\n"
