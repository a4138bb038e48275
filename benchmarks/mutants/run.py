"""Changes lines at random and asks the tests: what they let pass is not tested.

`python -m benchmarks.mutants.run [--each 20] [--again REV] [PACKAGE ...]`

The lines are drawn by the commit, the same in every run of it, the same number from each package. In a checkout in
which each change can be switched on, tests run once to see which changes each of them reaches; then each change is
tried on the tests that reach it, until one fails or crashes that passes without it, or takes more than three times its
processor time. What is computed when modules are imported is tried in a process of its own. All is kept in
`build/mutants`, so that a run that was stopped goes on. What survived at another revision is tried again, on the lines
of now, with `--again REV`.
"""

import argparse
import os
import random
import re
import resource
import signal
import subprocess
import sys
from collections.abc import Iterable, Sequence
from itertools import zip_longest
from pathlib import Path
from typing import Any

from benchmarks.mutants.changes import Mutant, mutants
from benchmarks.mutants.record import Record
from benchmarks.mutants.suites import SUITES
from benchmarks.mutants.switches import SITE, build
from benchmarks.replay.revisions import checked_out, revision
from ttstack.support.isolation.limits import ISOLATE

ALONE_SECONDS = 90.0
"""Processor time, as noted, of the tests on which a mutant is tried that is computed when modules are imported."""


def draw(tree: Path, package: str, count: int, commit: str) -> list[Mutant]:
    """`count` of the mutants of a package, every file as likely as it has places."""
    paths = (p for p in (tree / package).rglob("*.py") if "_generated" not in p.parts)
    every = [m for p in sorted(paths) for m in mutants(str(p.relative_to(tree)), p.read_bytes())]
    return random.Random(f"{commit} {package}").sample(every, min(count, len(every)))


def again(tree: Path, package: str, revision_name: str) -> list[Mutant]:
    """What survived at a revision, where the same text stands today, nearest to the line where it stood."""
    left = Record(revision(revision_name).commit).survivors()
    return [now for m in left if Path(m.path).is_relative_to(package) for now in _now(tree, m)]


def _now(tree: Path, mutant: Mutant) -> list[Mutant]:
    path = tree / mutant.path
    every = mutants(mutant.path, path.read_bytes()) if path.exists() else ()
    same = [m for m in every if (m.before, m.after) == (mutant.before, mutant.after)]
    return sorted(same, key=lambda m: abs(m.line - mutant.line))[:1]


def run(tree: Path, drawn: Sequence[Mutant], tests: Iterable[str], record: Record) -> None:
    """Try the mutants that are not decided yet, in a checkout that is left changed."""
    sources = {m.path: (tree / m.path).read_bytes() for m in drawn}
    waiting = [m for m in drawn if m.key not in record.caught_by()]
    if waiting:
        switched = build(tree, drawn)
        site = tree / SITE.name
        variables = {"MUTANTS": str(record.folder), "MUTANTS_KEYS": " ".join(m.key for m in _evenly(switched))}
        failed = _pytest(
            tree, site, ["-p", "mutants_plugin", "-s", *(t for t in tests if (tree / t).exists())], variables
        )
        if failed:
            raise SystemExit(f"the tests cannot be collected: {failed}")
    for path, source in sources.items():
        (tree / path).write_bytes(source)
    for mutant in (m for m in waiting if m.key not in record.caught_by()):
        record.decide(mutant, _alone(tree, mutant, record))


def _evenly(mutants: Iterable[Mutant]) -> list[Mutant]:
    """The first of each package, then the second of each, so that a run that is stopped has tried as many of all."""
    packages = {package: [m for m in mutants if Path(m.path).is_relative_to(package)] for package in SUITES}
    return [m for some in zip_longest(*packages.values()) for m in some if m is not None]


def _alone(tree: Path, mutant: Mutant, record: Record) -> str:
    """The test of the package that fails first; those that name the module are asked first."""
    suite = next(tests for package, tests in SUITES.items() if Path(mutant.path).is_relative_to(package))
    chosen = _ordered([row for row in record.noted() if row["test"].startswith(suite)], mutant, tree)
    listed = record.folder / "chosen"
    listed.write_text("\n".join(row["test"] for row in chosen))
    files = list(dict.fromkeys(row["test"].split("::")[0] for row in chosen))
    source = (tree / mutant.path).read_bytes()
    try:
        (tree / mutant.path).write_bytes(mutant.applied(source))
        limit = int(3 * sum(row["seconds"] for row in chosen)) + 60
        return _pytest(tree, SITE, ["-p", "chosen_plugin", *files], {"MUTANTS_CHOSEN": str(listed)}, limit)
    finally:
        (tree / mutant.path).write_bytes(source)


def _ordered(rows: Sequence[dict[str, Any]], mutant: Mutant, tree: Path) -> list[dict[str, Any]]:
    """Quick tests up to a limit, file by file."""
    module = Path(mutant.path).with_suffix("")
    name = re.compile(rf"import .*\b{module.stem}\b|\b{module.stem} import")
    files = dict.fromkeys(row["test"].split("::")[0] for row in rows)
    naming = {file for file in files if name.search((tree / file).read_text())}
    chosen: list[dict[str, Any]] = []
    limit = ALONE_SECONDS
    for row in sorted(rows, key=lambda row: row["test"].split("::")[0] not in naming):
        limit -= row["seconds"]
        if limit > 0:
            chosen.append(row)
    order = list(dict.fromkeys(row["test"].split("::")[0] for row in chosen))
    return sorted(chosen, key=lambda row: order.index(row["test"].split("::")[0]))


def _pytest(
    tree: Path, site: Path, arguments: Sequence[str], variables: dict[str, str], seconds: int | None = None
) -> str:
    """Run tests of a checkout until the first fails, within that processor time: which did, nothing if none."""
    options = ("-x", "-q", "--no-header", "-p", "no:cacheprovider", "--apart")
    command = [sys.executable, "-m", "pytest", *options, *arguments]
    python_path = os.pathsep.join(map(str, (site, tree, tree / "runtime")))
    always = {"PYTHONPATH": python_path, "PYTHONDONTWRITEBYTECODE": "1", ISOLATE: "0"}
    environment = os.environ | always | {"MUTANTS_REACHED": str(tree.parent / "reached")} | variables

    def limit() -> None:
        if seconds is not None:
            resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))

    done = subprocess.run(
        command, cwd=tree, env=environment, capture_output=True, text=True, check=False, preexec_fn=limit
    )
    if done.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
        return "time"
    failed = [line.split(" - ")[0] for line in done.stdout.splitlines() if line.startswith(("FAILED", "ERROR"))]
    return (failed or [f"exit {done.returncode}"])[0] if done.returncode not in (0, 5) else ""


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("packages", nargs="*", default=list(SUITES), metavar="PACKAGE")
    parser.add_argument("--each", type=int, default=20, help="mutants of each package")
    parser.add_argument("--again", metavar="REV", help="try again what survived at another revision")
    chosen = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    if unknown := set(chosen.packages) - set(SUITES):
        parser.error(f"no tests are known for {', '.join(sorted(unknown))}; there are {', '.join(SUITES)}")
    head = revision("HEAD")
    record = Record(head.commit)
    with checked_out(head) as tree:
        each = [
            again(tree, p, chosen.again) if chosen.again else draw(tree, p, chosen.each, head.commit)
            for p in chosen.packages
        ]
        drawn = [mutant for package in each for mutant in package]
        record.draw(drawn)
        run(tree, drawn, sorted({test for p in chosen.packages for test in SUITES[p]}), record)
    print(record.report(drawn, SUITES))


if __name__ == "__main__":
    main()
