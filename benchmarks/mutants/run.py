"""Changes lines at random and asks the tests: what they let pass is not tested.

`python -m benchmarks.mutants.run [--each 20] [--workers 2] [--again REV] [PACKAGE ...]`

The lines are drawn by the commit, the same in every run of it, the same number from each package. What has been tried
is kept in `build/mutants/COMMIT.jsonl`, so that a run that was stopped goes on. Each worker changes a checkout of its
own. A mutant is caught where the tests of its package fail, crash, or take more than twice what they take without it.
What survived at another revision is tried again, on the lines of now, with `--again REV`.
"""

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from queue import Queue

from benchmarks.mutants.changes import Mutant, mutants
from benchmarks.mutants.equivalent import EQUIVALENT
from benchmarks.mutants.suites import SUITES
from benchmarks.replay.revisions import ROOT, checked_out, revision


def draw(package: str, count: int, commit: str) -> list[Mutant]:
    """`count` of the mutants of a package, every file as likely as it has places."""
    paths = (p for p in (ROOT / package).rglob("*.py") if "_generated" not in p.parts)
    every = [m for p in sorted(paths) for m in mutants(str(p.relative_to(ROOT)), p.read_bytes())]
    return random.Random(f"{commit} {package}").sample(every, min(count, len(every)))


def survivors(package: str, revision_name: str) -> list[Mutant]:
    """What survived at a revision, where the same text stands today, nearest to the line where it stood."""
    rows = Record(revision(revision_name).commit).rows.values()
    return [m for row in rows if row.get("package") == package and row["survived"] for m in _now(_mutant(row))]


def _now(mutant: Mutant) -> list[Mutant]:
    path = ROOT / mutant.path
    every = mutants(mutant.path, path.read_bytes()) if path.exists() else ()
    same = [m for m in every if (m.before, m.after) == (mutant.before, mutant.after)]
    return sorted(same, key=lambda m: abs(m.line - mutant.line))[:1]


def passes(tree: Path, tests: Sequence[str], limit: float | None) -> tuple[bool, str]:
    """Whether the tests pass in that checkout within `limit` seconds, and which was the first that did not."""
    present = [t for t in tests if (tree / t).exists()]
    command = [sys.executable, "-m", "pytest", "-x", "-q", "--no-header", "-p", "no:cacheprovider", *present]
    environment = os.environ | {"PYTHONPATH": f"{tree}{os.pathsep}{tree / 'runtime'}", "PYTHONDONTWRITEBYTECODE": "1"}
    try:
        done = subprocess.run(
            command, cwd=tree, env=environment, capture_output=True, text=True, timeout=limit, check=False
        )
    except subprocess.TimeoutExpired:
        return False, "time"
    failed = [line.split(" - ")[0] for line in done.stdout.splitlines() if line.startswith(("FAILED", "ERROR"))]
    return done.returncode == 0, (failed or [f"exit {done.returncode}"])[0]


def attempt(tree: Path, mutant: Mutant, tests: Sequence[str], limit: float) -> dict[str, object]:
    """What the tests say of one mutant."""
    path = tree / mutant.path
    source = path.read_bytes()
    start = time.perf_counter()
    try:
        path.write_bytes(mutant.applied(source))
        survived, by = passes(tree, tests, limit)
    finally:
        path.write_bytes(source)
    seconds = round(time.perf_counter() - start, 1)
    return asdict(mutant) | {"key": mutant.key, "survived": survived, "by": "" if survived else by, "seconds": seconds}


class Record:
    """The file of what has been tried at a commit."""

    def __init__(self, commit: str) -> None:
        self.path = ROOT / "build" / "mutants" / f"{commit}.jsonl"
        self.path.parent.mkdir(parents=True, exist_ok=True)
        lines = self.path.read_text().splitlines() if self.path.exists() else []
        self.rows = {row["key"]: row for row in map(json.loads, lines)}

    def add(self, row: dict[str, object]) -> None:
        """Keep one result, in memory and on disk."""
        self.rows[str(row["key"])] = row
        with self.path.open("a") as file:
            file.write(json.dumps(row) + "\n")


def unchanged(trees: Queue[Path], record: Record, package: str) -> float:
    """Seconds that the tests of a package take without a mutant; raises where they fail."""
    key = f"unchanged {package}"
    if key not in record.rows:
        tree = trees.get()
        start = time.perf_counter()
        fine, by = passes(tree, SUITES[package], None)
        trees.put(tree)
        if not fine:
            raise SystemExit(f"the tests of {package} fail without any change: {by}")
        record.add({"key": key, "seconds": round(time.perf_counter() - start, 1)})
    return float(record.rows[key]["seconds"])


def run(packages: Sequence[str], each: int, workers: int, again: str | None) -> Record:
    """Try `each` mutants of each package, or those that survived at the revision `again`."""
    head = revision("HEAD")
    record = Record(head.commit)
    with ThreadPoolExecutor(workers) as pool, ExitStack() as stack:
        trees: Queue[Path] = Queue()
        for _ in range(workers):
            trees.put(stack.enter_context(checked_out(head)))

        def one(mutant: Mutant, package: str, limit: float) -> None:
            tree = trees.get()
            try:
                record.add({"package": package, **attempt(tree, mutant, SUITES[package], limit)})
            finally:
                trees.put(tree)

        for package in packages:
            drawn = survivors(package, again) if again else draw(package, each, head.commit)
            waiting = [m for m in drawn if m.key not in record.rows]
            if waiting:
                limit = 2 * unchanged(trees, record, package) + 30
                tried = [pool.submit(one, m, package, limit) for m in waiting]
                stack.callback(pool.shutdown, cancel_futures=True)
                for number, done in enumerate(as_completed(tried), 1):
                    done.result()
                    print(f"\r{package}: {number} of {len(tried)}", end="", file=sys.stderr, flush=True)
                print(file=sys.stderr)
    return record


def report(rows: Iterable[dict[str, object]]) -> str:
    """Survivors, and the share of mutants caught in each package; equivalent ones count as neither."""
    rows = [row for row in rows if "package" in row]
    survivors = [row for row in rows if row["survived"]]
    same = [row for row in survivors if (row["path"], row["before"], row["after"]) in EQUIVALENT]
    lines = [str(_mutant(row)) for row in survivors if row not in same]
    tried = Counter(str(row["package"]) for row in rows if row not in same)
    left = Counter(str(row["package"]) for row in survivors if row not in same)
    lines += [f"{package:26} {tried[package] - left[package]:4} of {tried[package]:4} caught" for package in tried]
    total, survived = tried.total(), left.total()
    lines.append(f"{total} tried, {survived} survived ({survived / max(1, total):.1%}), {len(same)} equivalent")
    return "\n".join(lines)


def _mutant(row: dict[str, object]) -> Mutant:
    return Mutant(**{name: row[name] for name in Mutant.__dataclass_fields__})  # pyright: ignore[reportArgumentType]


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("packages", nargs="*", default=list(SUITES), metavar="PACKAGE")
    parser.add_argument("--each", type=int, default=20, help="mutants of each package")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--again", metavar="REV", help="try again what survived at another revision")
    chosen = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    if unknown := set(chosen.packages) - set(SUITES):
        parser.error(f"no tests are known for {', '.join(sorted(unknown))}; there are {', '.join(SUITES)}")
    print(report(run(chosen.packages, chosen.each, chosen.workers, chosen.again).rows.values()))


if __name__ == "__main__":
    main()
