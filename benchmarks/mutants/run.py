"""Changes lines at random and asks the tests: what they let pass is not tested.

`python -m benchmarks.mutants.run [--each 20] [--again REV] [PACKAGE ...]`

The lines are drawn by the commit, the same in every run of it, the same number from each package. First all tests run
once on a checkout in which each change can be switched on, each test with every mutant that it reaches, where that is
quick. What is left runs alone, with the tests that reached it. A mutant is caught where a test fails or crashes that
passes without it, or takes more than three times the processor time. All is kept in `build/mutants`, so that a run that
was stopped goes on. What survived at another revision is tried again, on the lines of now, with `--again REV`.
"""

import argparse
import os
import random
import resource
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from benchmarks.mutants.changes import Mutant, mutants
from benchmarks.mutants.notes import Notes
from benchmarks.mutants.record import Record, report
from benchmarks.mutants.suites import SUITES
from benchmarks.mutants.switches import SITE, build
from benchmarks.replay.revisions import ROOT, checked_out, revision


def draw(package: str, count: int, commit: str) -> list[Mutant]:
    """`count` of the mutants of a package, every file as likely as it has places."""
    paths = (p for p in (ROOT / package).rglob("*.py") if "_generated" not in p.parts)
    every = [m for p in sorted(paths) for m in mutants(str(p.relative_to(ROOT)), p.read_bytes())]
    return random.Random(f"{commit} {package}").sample(every, min(count, len(every)))


def survivors(package: str, revision_name: str) -> list[Mutant]:
    """What survived at a revision, where the same text stands today, nearest to the line where it stood."""
    left = Record(revision(revision_name).commit).survivors
    return [m for mutant in left if Path(mutant.path).is_relative_to(package) for m in _now(mutant)]


def _now(mutant: Mutant) -> list[Mutant]:
    path = ROOT / mutant.path
    every = mutants(mutant.path, path.read_bytes()) if path.exists() else ()
    same = [m for m in every if (m.before, m.after) == (mutant.before, mutant.after)]
    return sorted(same, key=lambda m: abs(m.line - mutant.line))[:1]


def run(drawn: Sequence[Mutant], tests: Sequence[str], record: Record) -> None:
    """Try the mutants that are not decided yet."""
    by_key = {m.key: m for m in drawn}
    notes = _survey(drawn, tests, record.path.with_suffix(".notes"))
    for key, test in notes.killers().items():
        if key in by_key and key not in record.rows:
            record.add(by_key[key], test)
    waiting = [m for m in drawn if m.key not in record.rows]
    with checked_out(revision("HEAD")) as tree:
        for number, mutant in enumerate(waiting, 1):
            print(f"{number} of {len(waiting)}: {mutant}", file=sys.stderr, flush=True)
            record.add(mutant, _caught_by(tree, mutant, notes))


def _survey(drawn: Sequence[Mutant], tests: Sequence[str], notes: Path) -> Notes:
    """Run all tests once, each with the mutants that it reaches."""
    done = notes.with_suffix(".complete")
    if not done.exists():
        with checked_out(revision("HEAD")) as tree:
            build(tree, drawn)
            environment = {"MUTANTS_NOTES": str(notes), "MUTANTS_REACHED": str(notes.with_suffix(".elsewhere"))}
            if said := _pytest(tree, tree / SITE.name, ["-p", "mutants_plugin", "-s", *tests], environment):
                raise SystemExit(f"the tests do not run without any change: {said}")
        done.touch()
    return Notes(notes)


def _caught_by(tree: Path, mutant: Mutant, notes: Notes) -> str:
    """The test that fails first, of those that reached the mutant."""
    suite = next(tests for package, tests in SUITES.items() if Path(mutant.path).is_relative_to(package))
    tests, seconds = notes.tests_for(mutant, suite, tree)
    chosen = notes_file = ROOT / "build" / "mutants" / "chosen"
    notes_file.write_text("\n".join(tests))
    files = list(dict.fromkeys(t.split("::")[0] for t in tests))
    path = tree / mutant.path
    source = path.read_bytes()
    try:
        path.write_bytes(mutant.applied(source))
        limit = int(3 * seconds) + 60
        return _pytest(tree, SITE, ["-p", "chosen_plugin", *files], {"MUTANTS_CHOSEN": str(chosen)}, limit)
    finally:
        path.write_bytes(source)


def _pytest(
    tree: Path, site: Path, arguments: Sequence[str], variables: dict[str, str], seconds: int | None = None
) -> str:
    """Run tests of a checkout until the first fails, within that processor time: which did, nothing if none."""
    command = [sys.executable, "-m", "pytest", "-x", "-q", "--no-header", "-p", "no:cacheprovider", *arguments]
    python_path = os.pathsep.join(map(str, (site, tree, tree / "runtime")))
    environment = os.environ | {"PYTHONPATH": python_path, "PYTHONDONTWRITEBYTECODE": "1"} | variables

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
    head = revision("HEAD").commit
    record = Record(head)
    per_package = [survivors(p, chosen.again) if chosen.again else draw(p, chosen.each, head) for p in chosen.packages]
    drawn = [mutant for package in per_package for mutant in package]
    run(drawn, sorted({test for p in chosen.packages for test in SUITES[p]}), record)
    print(report((record.rows[m.key] for m in drawn), SUITES))


if __name__ == "__main__":
    main()
