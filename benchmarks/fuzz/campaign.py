"""Mutants in worker processes, each with limits of time and memory; what was done before is not done again."""

import json
import os
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any

from benchmarks.fuzz.case import Files
from benchmarks.fuzz.worker import SECONDS, Outcome, drawn, seeds, serve, written

_FORK = get_context("fork")
_READ_BEFORE_RENEWAL = 400
"""Inputs after which a worker makes room for a new one."""


@dataclass
class _Worker:
    process: Any
    connection: Connection
    number: int = -1
    since: float = 0.0
    done: int = 0

    def give(self, number: int) -> None:
        self.number, self.since = number, time.monotonic()
        self.connection.send(number)


@dataclass
class Campaign:
    """Inputs of a seed, read in so many processes; files go to a folder."""

    folder: Path
    seed: int
    kinds: tuple[str, ...]
    workers: int = 1
    _running: list[_Worker] = field(default_factory=list[_Worker])

    def run(self, numbers: Iterable[int]) -> Iterator[Outcome]:
        """The outcome of each number as it comes; a worker that dies or takes too long is one too."""
        for kind in self.kinds:
            seeds(kind)
        waiting = iter(numbers)
        self._running = [w for i in range(self.workers) if (w := self._next(waiting, self._start(i)))]
        while self._running:
            wait([w.connection for w in self._running], timeout=1.0)
            for worker in list(self._running):
                if (outcome := self._answer(worker)) is not None:
                    yield outcome
                    self._go_on(worker, waiting)

    def save(self, number: int) -> Path:
        """The input of a number, in a folder of its own."""
        path = self.folder / "findings" / str(number)
        written(self._files(number), path)
        return path

    def _files(self, number: int) -> Files:
        return drawn(self.seed, number, self.kinds).files

    def _start(self, place: int) -> _Worker:
        ours, theirs = _FORK.Pipe()
        folder = self.folder / f"worker{place}"
        process = _FORK.Process(
            target=serve, args=(theirs, folder, self.seed, self.kinds), daemon=True, name=str(place)
        )
        process.start()
        theirs.close()
        return _Worker(process, ours)

    def _next(self, waiting: Iterator[int], worker: _Worker) -> _Worker | None:
        number = next(waiting, None)
        if number is None:
            worker.connection.send(None)
            worker.process.join()
            return None
        worker.give(number)
        return worker

    def _answer(self, worker: _Worker) -> Outcome | None:
        try:
            if worker.connection.poll():
                worker.done += 1
                return worker.connection.recv()
        except (EOFError, OSError):
            worker.process.join()
            return self._lost(worker, f"the process died: {worker.process.exitcode}")
        # Others work on this machine too: time counts as they leave it.
        limit = SECONDS * max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))
        if time.monotonic() - worker.since > limit:
            worker.process.kill()
            worker.process.join()
            return self._lost(worker, f"it took longer than {limit:.0f} s")
        return None

    def _lost(self, worker: _Worker, detail: str) -> Outcome:
        given = drawn(self.seed, worker.number, self.kinds)
        return Outcome(
            worker.number, given.kind.name, given.mutator.name, "finding", detail, time.monotonic() - worker.since
        )

    def _go_on(self, worker: _Worker, waiting: Iterator[int]) -> None:
        self._running.remove(worker)
        if not worker.process.is_alive() or worker.done >= _READ_BEFORE_RENEWAL:
            if worker.process.is_alive():
                worker.connection.send(None)
                worker.process.join()
            worker = self._start(int(worker.process.name))
        if found := self._next(waiting, worker):
            self._running.append(found)


def stored(path: Path) -> dict[int, Outcome]:
    """The outcomes in a file, by number; the last one counts."""
    if not path.exists():
        return {}
    lines = path.read_text().splitlines()
    return {o.number: o for o in (Outcome(**json.loads(line)) for line in lines)}
