"""Judge the cost model on published measurements, or on a profiler's CSV of a program that ran.

`python evaluate.py ROWS.csv|FOLDER|--trace FILE [--json | --summary] [--system-desc NAME]`
"""

import argparse
import sys
from pathlib import Path

from boards import named_chip
from judged import express_all, judge
from profiled import read_profile
from report import as_json, rows_text, tables
from rows import read_rows


def main() -> None:
    """Print every row, then tables by class and by source, then why rows have no prediction."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("rows", type=Path, nargs="?", help="a CSV file of measurements, or a folder of them")
    what.add_argument("--trace", type=Path, metavar="FILE", help="an ops_perf_results.csv of tt-metal's profiler")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--summary", action="store_true", help="only the tables")
    parser.add_argument("--system-desc", default="wormhole")
    options = parser.parse_args()
    chip = named_chip(options.system_desc)
    rows = read_profile(options.trace) if options.trace else read_rows(options.rows)
    good, refused = express_all(rows, chip)
    judged = judge(good, chip)
    if options.json:
        lines = [as_json(judged, refused)]
    else:
        lines = [*(() if options.summary else rows_text(judged, refused)), *tables(judged, refused)]
    sys.stdout.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
