"""A process that reads one mutant after the other, and says what became of each."""

import gc
import os
import random
import resource
import shutil
import signal
import sys
import time
import traceback
import warnings
from dataclasses import asdict, dataclass
from functools import cache
from multiprocessing.connection import Connection
from pathlib import Path

from benchmarks.fuzz.case import Files, Kind, Mutator, Promise, first
from benchmarks.fuzz.kinds import KINDS
from benchmarks.fuzz.watch import Watch
from ttstack.diagnostics import TTStackError

SECONDS = 20
MEMORY = 4 << 30


@dataclass(frozen=True)
class Input:
    """One input of a campaign: all of it follows from the seed and the number."""

    seed: int
    number: int
    kind: Kind
    mutator: Mutator
    files: Files
    origin: int
    """Which of the kind's seeds it comes from."""


@dataclass(frozen=True)
class Outcome:
    """What became of an input."""

    number: int
    kind: str
    mutator: str
    result: str
    """`accepted`, the code of the error that refused it, or `finding`."""
    detail: str = ""
    seconds: float = 0.0
    commit: str = ""

    def as_dict(self) -> dict[str, object]:
        """For JSON."""
        return asdict(self)


@cache
def seeds(kind: str) -> list[Files]:
    """The valid files of a kind; made once, before workers are forked."""
    return list(KINDS[kind].seeds())


def drawn(seed: int, number: int, kinds: tuple[str, ...] = tuple(KINDS)) -> Input:
    """The input of a number."""
    rng = random.Random(f"{seed} {number}")
    chosen = [KINDS[name] for name in kinds]
    kind = rng.choices(chosen, [k.weight for k in chosen])[0]
    mutator = rng.choice(kind.mutators)
    origin = rng.randrange(len(seeds(kind.name)))
    files = seeds(kind.name)[origin]
    mutant = mutator.change(rng, files)
    return Input(seed, number, kind, mutator, mutant, origin)


def written(files: Files, folder: Path) -> Path:
    """The files in a folder that holds nothing else; the path of the first."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for name, content in files.items():
        (folder / name).write_bytes(content)
    return folder / first(files)


class Judge:
    """Reads inputs in one folder, so that locations of equal programs are equal."""

    def __init__(self, folder: Path, watch: Watch) -> None:
        self._folder, self._watch = folder, watch
        self._meanings: dict[tuple[str, int], str] = {}

    def outcome(self, given: Input) -> Outcome:
        """What becomes of an input."""
        start = time.process_time()
        meaning = self._meaning(given) if given.mutator.promise in (Promise.EQUAL, Promise.SEALED) else ""
        path = written(given.files, self._folder)
        with self._watch.reading(self._folder) as seen:
            try:
                result, detail = self._judged(given, path, meaning)
            except TTStackError as error:
                result, detail = error.code, str(error).partition("\n")[0]
                if given.mutator.promise is Promise.EQUAL:
                    result, detail = "finding", f"refused, although nothing was changed that matters: {detail}"
            except BaseException as error:
                if isinstance(error, KeyboardInterrupt):
                    raise
                result, detail = "finding", _raised(error)
        if seen:
            result, detail = "finding", "; ".join(sorted(set(seen))[:5])
        return Outcome(given.number, given.kind.name, given.mutator.name, result, detail, time.process_time() - start)

    def _judged(self, given: Input, path: Path, meaning: str) -> tuple[str, str]:
        found = given.kind.read(path)
        rng = random.Random(given.number)
        if rng.randrange(3) == 0 and given.kind.read(path) != found:
            return "finding", "read twice, it is not the same"
        match given.mutator.promise:
            case Promise.REFUSED:
                return "finding", "accepted, and must be refused"
            case Promise.EQUAL | Promise.SEALED if found != meaning:
                return "finding", f"accepted, and not the seed ({given.mutator.promise})"
            case _:
                what = given.kind.check(path, rng) if given.kind.check else None
                return ("finding", what) if what else ("accepted", "")

    def _meaning(self, given: Input) -> str:
        key = given.kind.name, given.origin
        if key not in self._meanings:
            path = written(seeds(given.kind.name)[given.origin], self._folder)
            try:
                self._meanings[key] = given.kind.read(path)
            except TTStackError as error:
                self._meanings[key] = f"refused: {error.code}"
        return self._meanings[key]


def _raised(error: BaseException) -> str:
    frames = [f for f in traceback.extract_tb(error.__traceback__) if "/ttstack" in f.filename] or [None]
    last = frames[-1]
    where = f"{'/'.join(Path(last.filename).parts[-3:])}:{last.lineno}" if last else "outside"
    return f"{type(error).__name__}: {str(error)[:200]!r} at {where}"


def _number(connection: Connection, campaign: int) -> int | None:
    """What to read next; None where there is no more, or the campaign was killed."""
    while not connection.poll(1.0):
        if os.getppid() != campaign:
            return None
    return connection.recv()


def serve(connection: Connection, folder: Path, seed: int, kinds: tuple[str, ...]) -> None:
    """Answer numbers with outcomes until there are no more."""
    warnings.simplefilter("ignore")
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, resource.RLIM_INFINITY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    folder.mkdir(parents=True, exist_ok=True)
    with (folder.parent / f"{folder.name}.log").open("ab") as said:
        os.dup2(said.fileno(), 1)
        os.dup2(said.fileno(), 2)
    judge = Judge(folder / "case", Watch())
    gc.freeze()
    sys.dont_write_bytecode = True
    campaign = os.getppid()
    while (number := _number(connection, campaign)) is not None:
        given = drawn(seed, number, kinds)
        signal.setitimer(signal.ITIMER_PROF, SECONDS)
        connection.send(judge.outcome(given))
        signal.setitimer(signal.ITIMER_PROF, 0)
