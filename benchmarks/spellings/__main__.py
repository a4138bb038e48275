"""Predicted times of programs as models spell them, and of the same values as written by hand.

    python -m benchmarks.spellings [TEXT ...] [--json FILE] [--system NAME]

prints a line for each program whose rule or name has one of the texts, with the ops of what is slower by more than
`SLOWER` than by hand.
"""

import argparse
import json
import warnings
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import torch

from benchmarks.spellings import lookups, norms, projections, scans
from benchmarks.spellings.case import Case, Figures, measure
from ttstack.support.files import write_whole

CASES = (*scans.CASES, *lookups.CASES, *norms.CASES, *projections.CASES)
SLOWER = 1.3
"""Times the time by hand."""
_TOLERANCE = 1e-3


def main() -> None:
    """Print a line for each, and store figures where that is asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("texts", nargs="*", help="of rules or names")
    parser.add_argument("--json", type=Path, help="where figures are stored")
    parser.add_argument("--system", default="wormhole")
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    chosen = [c for c in CASES if not asked.texts or any(text in f"{c.rule}: {c.name}" for text in asked.texts)]
    records = [_record(case, asked.system) for case in chosen]
    if asked.json:
        write_whole(asked.json, json.dumps(records, indent=1) + "\n")


def _record(case: Case, system: str) -> dict[str, object]:
    with torch.no_grad():
        apart = case.difference()
        spelled = measure(case.spelled, case, system)
        by_hand = case.by_hand and measure(case.by_hand, case, system)
    print(_line(case, spelled, by_hand), flush=True)
    if apart > _TOLERANCE:
        print(f"    values by hand differ by {apart:.1%}", flush=True)
    return {"rule": case.rule, "name": case.name, "spelled": asdict(spelled), "by hand": by_hand and asdict(by_hand)}


def _line(case: Case, spelled: Figures, by_hand: Figures | None) -> str:
    line = f"{case.rule}: {case.name:28} {spelled.us:9.1f} us, {len(spelled.ops):3} ops"
    if by_hand is None:
        return f"{line}\n    {_counted(spelled.ops)}"
    line += f"; by hand {by_hand.us:9.1f} us, {len(by_hand.ops):3} ops, {spelled.us / by_hand.us:.2f} times"
    slow = spelled.us > SLOWER * by_hand.us
    return f"{line}\n    {_counted(spelled.ops)}\n    {_counted(by_hand.ops)}" if slow else line


def _counted(ops: Sequence[str]) -> str:
    return ", ".join(name if count == 1 else f"{count} {name}" for name, count in Counter(ops).items())


if __name__ == "__main__":
    main()
