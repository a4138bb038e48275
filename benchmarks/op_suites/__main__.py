"""Run the op suites of others: how many tests are equal, wrong, refused or end as a fault.

    python -m benchmarks.op_suites onnx_nodes|torch_op_db [--json FILE] [--seconds N] [NAME ...]

Prints each test that is wrong or a fault, then the counts, and refusals by reason. Exits with 1 where there is one.
With `--json`, keeps the counts and the tests that are not equal, for the documentation. A suite takes ten minutes.
"""

import argparse
import json
from collections import Counter
from importlib import import_module
from pathlib import Path

from benchmarks.op_suites.outcome import Outcome
from benchmarks.op_suites.processes import run_tests
from ttstack.support.files import write_whole

_SUITES = ("onnx_nodes", "torch_op_db")


def main() -> int:
    """Run a suite, or the tests that are named; return 1 if one is wrong or a fault."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("suite", choices=_SUITES)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--json", type=Path, help="the file of counts and of tests that are not equal")
    parser.add_argument("--seconds", type=float, default=60, help="time limit of a test")
    asked = parser.parse_args()
    if asked.json and asked.names:
        parser.error("--json keeps the outcomes of a whole suite: leave out the names")
    everything = import_module(f"benchmarks.op_suites.{asked.suite}").names()
    found = dict[str, Outcome]()
    for name, outcome in run_tests(asked.suite, asked.names or everything, asked.seconds):
        found[name] = outcome
        if outcome.kind in ("wrong", "fault") or asked.names:
            print(f"{name}: {outcome.kind}: {outcome.reason}", flush=True)
    _print_counts(found)
    if asked.json:
        _keep(asked.json, asked.suite, found)
    return int(any(outcome.kind in ("wrong", "fault") for outcome in found.values()))


def _print_counts(found: dict[str, Outcome]) -> None:
    kinds = Counter(outcome.kind for outcome in found.values())
    print(", ".join(f"{count} {kind}" for kind, count in kinds.most_common()))
    reasons = Counter(outcome.reason for outcome in found.values() if outcome.kind == "refused")
    for reason, count in reasons.most_common():
        print(f"{count:5} {reason}")


def _keep(path: Path, suite: str, found: dict[str, Outcome]) -> None:
    kept = json.loads(path.read_text()) if path.exists() else {}
    counts = Counter(outcome.kind for outcome in found.values())
    others = {name: [outcome.kind, outcome.reason] for name, outcome in found.items() if outcome.kind != "equal"}
    kept[suite] = {"counts": dict(sorted(counts.items())), "others": others}
    write_whole(path, json.dumps(kept, indent=1, sort_keys=True) + "\n")


if __name__ == "__main__":
    raise SystemExit(main())
