"""`python -m benchmarks.random_models`: a campaign of random models, which goes on where it was stopped."""

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from benchmarks.random_models.draw import GRAPH
from benchmarks.random_models.judging import judge

_ROOT = Path(__file__).parents[2]
BATCH = 10
"""Models in a process, whose imports take as long as one of them."""


def main() -> int:
    """Take the models that are due; 1 where any is a finding."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=300, help="of models, from number 0")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", type=int, nargs="+", help="numbers that are taken again")
    parser.add_argument("--again", action="store_true", help="take those again that were findings")
    parser.add_argument("--kind", choices=(GRAPH,), help="only graphs of convolutions, with all rewrites and without")
    asked = parser.parse_args()
    path = _ROOT / "build" / "random_models" / f"{asked.kind or ''}{asked.seed}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = map(json.loads, path.read_text().splitlines()) if path.exists() else ()
    known: dict[int, dict[str, Any]] = {found["number"]: found for found in lines}
    due = asked.only or [n for n in range(asked.count) if n not in known or (asked.again and known[n]["faults"])]
    with path.open("a") as file:
        for found in _taken(asked.seed, due, asked.kind):
            known[found["number"]] = found
            file.write(json.dumps(found) + "\n")
            file.flush()
            for fault in found["faults"]:
                print(f"{found['number']} {found['about']}: {fault}", flush=True)
    wanted = [known[n] for n in asked.only or range(asked.count) if n in known]
    findings = [found for found in wanted if found["faults"]]
    print(f"{len(wanted)} models, {len(findings)} findings: {[found['number'] for found in findings]}")
    return int(bool(findings))


def _taken(seed: int, numbers: Sequence[int], kind: str | None) -> Iterator[dict[str, Any]]:
    due = list(numbers)
    while due:
        with ProcessPoolExecutor(1, get_context("fork")) as process:
            for number in due[:BATCH]:
                try:
                    yield process.submit(judge, seed, due.pop(0), kind).result()
                except BrokenProcessPool:
                    yield {"number": number, "about": "", "faults": ["the process was ended"]}
                    break


if __name__ == "__main__":
    sys.exit(main())
