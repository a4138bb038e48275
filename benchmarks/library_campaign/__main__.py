"""What the real `ttnn` takes of what the compiler gives: random programs and configurations, ops in all forms, the zoo.

    python -m benchmarks.library_campaign programs [--count N] [--seed N]
    python -m benchmarks.library_campaign configurations
    python -m benchmarks.library_campaign forms
    python -m benchmarks.library_campaign held_out
    python -m benchmarks.library_campaign weights [--count N] [--seed N]
    python -m benchmarks.library_campaign zoo

Each goes on where it was stopped, and writes the tallies that stand beside this file. `--again` takes those anew that
were findings, `--only KEY` one. It needs an interpreter that has ttnn: TTSTACK_TTNN_PYTHON.
"""

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import asdict, replace
from multiprocessing import get_context
from pathlib import Path

_ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(_ROOT), str(_ROOT / "runtime")]
os.environ |= {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}

from benchmarks.library_campaign import tallies  # noqa: E402  (after the path)
from benchmarks.library_campaign.campaigns import CAMPAIGNS  # noqa: E402
from benchmarks.library_campaign.outcome import Outcome, stored  # noqa: E402
from ttstack.library.run import find_interpreter  # noqa: E402


def main() -> int:
    """Run a campaign; 1 where there are findings."""
    asked = _arguments()
    find_interpreter(None)
    path = _outcomes_of(asked.campaign, asked.seed)
    path.parent.mkdir(parents=True, exist_ok=True)
    outcomes, commit = stored(path), _commit()
    with path.open("a") as file:
        for found in _run(asked, outcomes):
            outcome = replace(found, commit=commit)
            outcomes[outcome.key] = outcome
            file.write(json.dumps({name: value for name, value in asdict(outcome).items() if value}) + "\n")
            file.flush()
            if outcome.finding or asked.only:
                print(f"{outcome.key} {outcome.kind}: {outcome.result} {outcome.detail}", flush=True)
    known = [outcomes[key] for key in CAMPAIGNS[asked.campaign].keys(asked.count) if key in outcomes]
    text = tallies.text(asked.campaign, asked.seed, known)
    print(text.partition("\n\n")[0])
    if not asked.only:
        tallies.path(asked.campaign).write_text(text)
    return int(any(outcome.finding for outcome in known))


def _outcomes_of(campaign: str, seed: int) -> Path:
    """What became of each input; that of the zoo, which takes hours, stands beside its tallies."""
    kept = tallies.path(campaign).parent if campaign == "zoo" else _ROOT / "build" / "library_campaign"
    return kept / f"{campaign}.{seed}.jsonl"


def _run(asked: argparse.Namespace, outcomes: dict[str, Outcome]) -> Iterator[Outcome]:
    """Batches in worker processes, each of which judges its own in one process of the library."""
    campaign = CAMPAIGNS[asked.campaign]
    keys = asked.only or [k for k in campaign.keys(asked.count) if _is_due(outcomes.get(k), again=asked.again)]
    batches = [keys[at : at + campaign.BATCH] for at in range(0, len(keys), campaign.BATCH)]
    with ProcessPoolExecutor(asked.workers, get_context("fork")) as pool:
        running = [pool.submit(_judge, asked.campaign, asked.seed, batch) for batch in batches]
        for done in as_completed(running):
            yield from done.result()


def _judge(campaign: str, seed: int, keys: Sequence[str]) -> list[Outcome]:
    return list(CAMPAIGNS[campaign].judged(seed, keys))


def _is_due(outcome: Outcome | None, *, again: bool) -> bool:
    return outcome is None or (again and outcome.finding)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("campaign", choices=CAMPAIGNS)
    parser.add_argument("--count", type=int, default=None, help="of programs or configurations")
    parser.add_argument("--seed", type=int, default=14)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--again", action="store_true", help="take findings anew, after they were mended")
    parser.add_argument("--only", nargs="+", metavar="KEY")
    return parser.parse_args()


def _commit() -> str:
    command = ("git", "rev-parse", "--short", "HEAD")
    return subprocess.run(command, capture_output=True, text=True, cwd=_ROOT, check=False).stdout.strip()


if __name__ == "__main__":
    sys.exit(main())
