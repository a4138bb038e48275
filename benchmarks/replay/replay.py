"""What the working tree compiles to otherwise than another revision: `make replay BASE=REV`.

A fixed set of models is compiled at both under each placement policy, each revision in a worktree of its own and with
its own `dump.py`; one from before there was such a file is dumped by the one beside this. What differs is printed; the
names of fields are not compared, so that a refactoring prints nothing. The exit code is 1 where anything differs.
Dumps are kept in `build/replay` by the content of the files that they are of.
"""

import argparse
import hashlib
import os
import signal
import subprocess
import sys
import time
from importlib.metadata import distributions
from pathlib import Path

from compare import Differences, compare, read
from dump import FORMAT
from revisions import ROOT, Revision, checked_out, revision, working_tree

HERE = Path(__file__).parent
STORE = ROOT / "build" / "replay"
SHOWN = 60
"""Lines of differences that are printed; all are in a file."""


def stored(of: Revision, only: str, jobs: int) -> Path:
    """The dump of a revision, made where there is none yet."""
    path = STORE / f"{of.tree[:16]}-{_surroundings(only)}.jsonl"
    start = time.monotonic()
    if not path.exists():
        STORE.mkdir(parents=True, exist_ok=True)
        part = path.with_suffix(f".{os.getpid()}")
        with checked_out(of) as root:
            _dump(root, part, only, jobs)
        part.rename(path)
    print(f"{of.name}: {len(read(path))} compilations, {time.monotonic() - start:.0f} s", flush=True)
    return path


def _surroundings(only: str) -> str:
    """A digest of what a dump depends on beside the revision: the tool, the packages, and which cases."""
    packages = sorted(f"{d.name} {d.version}" for d in distributions())
    tool = [path.read_text() for path in sorted(HERE.glob("*.py"))]
    return hashlib.sha256("\0".join([*packages, *tool, only]).encode()).hexdigest()[:8]


def _dump(root: Path, path: Path, only: str, jobs: int) -> None:
    own = root / "benchmarks" / "replay" / "dump.py"
    script = own if own.exists() and f"\nFORMAT = {FORMAT}\n" in own.read_text() else HERE / "dump.py"
    threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")  # for equal sums
    search = os.pathsep.join(map(str, (root, root / "runtime")))
    command = [sys.executable, str(script), str(path), "--jobs", str(jobs), "--only", only]
    environment = {**os.environ, **threads, "PYTHONPATH": search}
    process = subprocess.Popen(command, cwd=root, env=environment, start_new_session=True)
    try:
        if process.wait():
            sys.exit(f"{script} ended with exit code {process.returncode}")
    finally:
        if process.returncode is None:
            os.killpg(process.pid, signal.SIGKILL)  # with its workers
            process.wait()


def main() -> None:
    """Dump both, and print what differs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("base", metavar="REV", help="a commit, a branch, HEAD~1")
    parser.add_argument("--only", default="*", metavar="PATTERN", help="cases by name: 'examples/*', '*.bert'")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)), metavar="N")
    given = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # worktrees are removed
    base, now = revision(given.base), working_tree()
    before, after = (read(stored(of, given.only, given.jobs)) for of in (base, now))
    found = compare(before, after)
    _print(found, len(before), STORE / f"{base.tree[:16]}-{now.tree[:16]}.txt")
    sys.exit(bool(found.cases))


def _print(found: Differences, total: int, path: Path) -> None:
    if not found.cases:
        print(f"no difference in {total} compilations")
        return
    path.write_text("\n".join(found.lines) + "\n")
    print("\n".join(found.lines[:SHOWN]))
    if len(found.lines) > SHOWN:
        print(f"... and {len(found.lines) - SHOWN} more lines in {path.relative_to(ROOT)}")
    print(f"\n{found.cases} of {total} compilations differ; ops by what does:", *found.summary(), sep="\n")


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)
