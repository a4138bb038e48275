"""Mutants of every kind of file that is read: each is refused with an error of ours, or means what it says.

`python -m benchmarks.fuzz [--count N] [--seed N] [--workers N] [--kinds NAME,...]` goes on where it was stopped,
and writes the tallies that stand beside this file. `--again` reads those anew that were findings, `--only N` one
input. Findings are saved under build/fuzz.
"""

import argparse
import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

_ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(_ROOT), str(_ROOT / "runtime")]
os.environ |= {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}

from benchmarks.fuzz import tallies  # noqa: E402  (after the path, and the number of threads)
from benchmarks.fuzz.campaign import Campaign, stored  # noqa: E402
from benchmarks.fuzz.kinds import KINDS  # noqa: E402


def main() -> int:
    """Run a campaign; 1 where there are findings."""
    asked, commit = _arguments(), _commit()
    folder = _ROOT / "build" / "fuzz"
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"outcomes.{asked.seed}.jsonl"
    kinds = tuple(asked.kinds.split(",")) if asked.kinds else tuple(KINDS)
    outcomes = stored(path) if kinds == tuple(KINDS) else {}
    numbers = [n for n in range(asked.count) if n not in outcomes or (asked.again and outcomes[n].result == "finding")]
    campaign = Campaign(folder, asked.seed, kinds, asked.workers)
    with path.open("a") if kinds == tuple(KINDS) else open(os.devnull, "a") as file:  # noqa: PTH123
        for found in campaign.run([asked.only] if asked.only is not None else numbers):
            outcome = replace(found, commit=commit)
            outcomes[outcome.number] = outcome
            file.write(json.dumps(outcome.as_dict()) + "\n")
            file.flush()
            if outcome.result == "finding" or asked.only is not None:
                print(
                    f"{outcome.number} {outcome.kind} {outcome.mutator}: {outcome.result} {outcome.detail}", flush=True
                )
                print(f"  {campaign.save(outcome.number)}", flush=True)
    if asked.only is None:
        text = tallies.text(outcomes.values(), asked.seed)
        print(text.partition("\n\n")[0])
        if kinds == tuple(KINDS):
            tallies.STORED.write_text(text)
    return int(any(outcome.result == "finding" for outcome in outcomes.values()))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=11)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--kinds", help=f"of {', '.join(KINDS)}")
    parser.add_argument("--again", action="store_true")
    parser.add_argument("--only", type=int)
    return parser.parse_args()


def _commit() -> str:
    found = subprocess.run(
        ("git", "rev-parse", "--short", "HEAD"), capture_output=True, text=True, cwd=_ROOT, check=False
    )
    return found.stdout.strip()


if __name__ == "__main__":
    sys.exit(main())
