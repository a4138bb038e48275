"""`python -m benchmarks.random_moves`: values, predicted times and ops of random graphs, with rewrites and without."""

import argparse
import json
import sys
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.random_moves.check import check_moves
from benchmarks.random_moves.draw import draw_moves

_ROOT = Path(__file__).parents[2]


def main() -> int:
    """Take the graphs that are due; 1 where values of any differ."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=5000, help="of graphs, from number 0")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", type=int, nargs="+", help="numbers that are taken again")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="after which it stops; it goes on later")
    asked = parser.parse_args()
    path = _ROOT / "build" / "random_moves" / f"{asked.seed}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = map(json.loads, path.read_text().splitlines()) if path.exists() else ()
    known: dict[int, dict[str, Any]] = {found["number"]: found for found in lines}
    end = time.monotonic() + asked.seconds
    with path.open("a") as file:
        for number in asked.only or [n for n in range(asked.count) if n not in known]:
            if time.monotonic() > end:
                break
            known[number] = _taken(asked.seed, number)
            file.write(json.dumps(known[number]) + "\n")
            file.flush()
            for fault in known[number]["faults"]:
                print(f"{number} {fault}\n  {draw_moves(asked.seed, number)}", flush=True)
    _summarize([known[n] for n in asked.only or range(asked.count) if n in known])
    return int(any(found["faults"] for found in known.values()))


def _taken(seed: int, number: int) -> dict[str, Any]:
    try:
        return check_moves(draw_moves(seed, number), number).as_dict()
    except Exception as error:
        return {"number": number, "faults": [f"{type(error).__name__}: {str(error).strip()[:500]}"]}


def _summarize(found: Sequence[dict[str, Any]]) -> None:
    whole = [each for each in found if "ns" in each]
    equal = [each for each in found if not each["faults"]]
    print(f"{len(found)} graphs, {len(equal)} with equal values")
    for what in ("ns", "ops", "moves"):
        print(f"{what}: {sum(e[what + '_before'] for e in whole):,.0f} -> {sum(e[what] for e in whole):,.0f}")
    print("changed by", dict(Counter(name for each in whole for name in each["applied"]).most_common()))
    for name in sorted({name for each in whole for name in each["slower"]}):
        slower = sorted(((e["slower"][name], e["number"]) for e in whole if name in e["slower"]), reverse=True)
        least = ", ".join(f"{number} by {share:.1%}" for share, number in slower[:20])
        print(f"slower than without {name}: {len(slower)} ({least})")


if __name__ == "__main__":
    sys.exit(main())
