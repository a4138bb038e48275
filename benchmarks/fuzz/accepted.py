"""Models that were accepted once are accepted still.

`python -m benchmarks.fuzz.accepted [--add] [--only TEXT]` compiles every model in `accepted.txt` and fails if one is
refused now. A line has a digest of what defines the model, and the model's name: a case of `benchmarks.replay`, or
`drawn KIND NUMBER`, a random model.

A model with another digest is another model: it is reported, and `--add` stores the new digest if it is accepted.
`--add` also stores models that are new. It removes no line: a model that is gone is reported.
"""

import argparse
import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from hashlib import sha256
from importlib import import_module
from multiprocessing import get_context
from pathlib import Path
from typing import Any

_ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(_ROOT), str(_ROOT / "runtime")]
os.environ |= {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}

from benchmarks.replay.cases import Case, cases, source_digest  # noqa: E402  (after the path, and the number of threads)

STORED = Path(__file__).with_name("accepted.txt")
_DRAWN: Mapping[str, int] = {"any": 40, "graph": 60}
"""How many random models of a kind; the number of `any` draws its kind."""
_SEED = 1
_MODELS_OF_A_PROCESS = 20

Judged = tuple[str, str | None, str]
"""The name of a model, the digest of what defines it, and the first line of its error, empty if it is accepted."""


def models() -> dict[str, Case]:
    """All models that there are, by name."""
    numbers = [(kind, number) for kind, count in _DRAWN.items() for number in range(count)]
    drawn = [Case(f"drawn {kind} {number}", partial(_drawn, kind, number)) for kind, number in numbers]
    return {case.name: case for case in (*cases(), *drawn)}


def read(path: Path = STORED) -> dict[str, str]:
    """The digests of stored models, by name."""
    lines = path.read_text().splitlines() if path.exists() else ()
    return {name: digest for digest, _, name in (line.partition(" ") for line in lines)}


def write(stored: Mapping[str, str], path: Path = STORED) -> None:
    """Store digests of models, a line each."""
    path.write_text("".join(f"{digest} {name}\n" for name, digest in sorted(stored.items())))


def judge(known: Mapping[str, Case], names: Iterable[str]) -> Iterator[Judged]:
    """Compile models of these names in other processes."""
    left = list(names)
    while left:
        with ProcessPoolExecutor(1, get_context("fork")) as process:
            for name in left[:_MODELS_OF_A_PROCESS]:
                try:
                    yield process.submit(_judged, name, known.get(left.pop(0))).result()
                except BrokenProcessPool:
                    yield name, None, "the process died"
                    break


def findings(stored: Mapping[str, str], judged: Iterable[Judged]) -> Iterator[str]:
    """What is wrong with stored models, a line each."""
    for name, digest, why in judged:
        if name in stored and why:
            yield f"{name}: accepted before, refused now: {why}"
        elif name in stored and digest != stored[name]:
            yield f"{name}: {'it is gone' if digest is None else 'it is another model: run with --add'}"


def _judged(name: str, case: Case | None) -> Judged:
    import ttstack

    if case is None:
        return name, None, ""
    try:
        digest = None if name.startswith("drawn ") else source_digest(_imported(name))
        source = case.load()
        digest = digest or sha256(source.about.encode()).hexdigest()[:16]
        ttstack.compile(*(source.model, source.inputs) if name.startswith("drawn ") else (source,))
    except Exception as error:
        return name, None, f"{type(error).__name__}: {str(error).strip()}".splitlines()[0][:200]
    return name, digest, ""


def _imported(name: str) -> str:
    if not Path(name).exists():
        import_module(name)
    return name


def _drawn(kind: str, number: int) -> Any:
    from benchmarks.random_models.draw import draw

    return draw(_SEED, number, None if kind == "any" else kind)


def main() -> int:
    """Check what is stored, or add to it; 1 if something is refused that was accepted."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--add", action="store_true", help="store models that are accepted and not stored")
    parser.add_argument("--only", default="", help="models whose names contain this")
    asked = parser.parse_args()
    os.chdir(_ROOT)
    known, stored, count, faults = models(), read(), 0, list[str]()
    wanted = dict.fromkeys([*stored, *(known if asked.add else ())])
    for name, digest, why in judge(known, [name for name in wanted if asked.only in name]):
        count += 1
        if asked.add and digest is not None:
            stored[name] = digest
        faults += findings(stored, [(name, digest, why)])
    if asked.add:
        write(stored)
    print(*faults, f"{count} models, {len(faults)} findings, {len(stored)} stored", sep="\n")
    return int(bool(faults))


if __name__ == "__main__":
    sys.exit(main())
