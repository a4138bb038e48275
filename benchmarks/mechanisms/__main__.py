"""Predict isolated experiments by the cost model's terms, and say how far they are off.

`python -m benchmarks.mechanisms [--shared ../shared] [--rows TEXT] [--json docs/mechanisms.json]`
prints a line for each experiment and for each group of latencies, and the rows of groups with TEXT in their names;
`--json` stores what docs/mechanisms.md shows.
"""

import argparse
import json
import sys
from pathlib import Path

from benchmarks.mechanisms.judged import Judged, Summary, grouped, judge_experiments, judge_latencies, records


def main() -> None:
    """Print the summary of each group, and rows where they are wanted."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shared", type=Path, default=Path("../shared"))
    parser.add_argument("--rows", default="", metavar="TEXT")
    parser.add_argument("--json", type=Path, metavar="FILE")
    options = parser.parse_args()
    if options.json:
        options.json.write_text(json.dumps(records(options.shared), indent=1) + "\n")
    for group, judged in grouped([*judge_experiments(options.shared), *judge_latencies(options.shared)]).items():
        name, found = " ".join(group), Summary.of(judged)
        figures = f"{found.rows:4} {found.said:4} {found.median:7.1%} {found.bias:+7.1%}"
        sys.stdout.write(f"{name:58} {figures}  {found.term}{' | ' * bool(found.reason)}{found.reason}\n")
        if options.rows and options.rows in name:
            sys.stdout.writelines(map(_line, judged))


def _line(each: Judged) -> str:
    said = f"{each.predicted.value:12.0f} {each.error:+7.1%} {each.predicted.term}" if each.predicted else each.reason
    return f"    {each.measured:12.0f} {said}: {' '.join(v for v in each.row.values() if '@' not in v)}\n"


if __name__ == "__main__":
    main()
