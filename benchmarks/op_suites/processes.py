"""Tests in child processes, with a time limit for each test."""

import multiprocessing
import os
import warnings
from collections.abc import Iterator, Sequence
from importlib import import_module
from multiprocessing.connection import Connection
from typing import Self

from benchmarks.op_suites.outcome import Outcome
from ttstack.support.isolation.limits import ISOLATE

_START = 120.0
"""Seconds that a process may take until it is ready: it imports PyTorch and the suite."""


def run_tests(suite: str, names: Sequence[str], seconds: float) -> Iterator[tuple[str, Outcome]]:
    """Yield the outcome of each test of a suite, in one process until a test ends it or exceeds the limit."""
    rest = list(names)
    while rest:
        with _Child(suite) as child:
            while rest:
                name = rest.pop(0)
                result = child.ask(name, seconds)
                yield name, result or child.failure(seconds)
                if result is None:
                    break


class _Child:
    """A process that runs tests of a suite by name."""

    def __init__(self, suite: str) -> None:
        context = multiprocessing.get_context("spawn")
        self._pipe, other = context.Pipe()
        self._process = context.Process(target=_serve, args=(suite, other), daemon=True)
        self._process.start()
        other.close()

    def __enter__(self) -> Self:
        if self._pipe.poll(_START):
            self._pipe.recv()
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.join()

    def ask(self, name: str, seconds: float) -> Outcome | None:
        """Return the outcome of a test; None if the process gives none."""
        try:
            self._pipe.send(name)
            return self._pipe.recv() if self._pipe.poll(seconds) else None
        except (EOFError, OSError):
            return None

    def failure(self, seconds: float) -> Outcome:
        """Return the outcome of a test that gave none."""
        self._process.join(1)
        code = self._process.exitcode
        return Outcome("fault", f"no answer in {seconds:.0f} s" if code is None else f"its process ended with {code}")


def _serve(suite: str, pipe: Connection) -> None:
    os.environ[ISOLATE] = "0"
    warnings.simplefilter("ignore")
    module = import_module(f"benchmarks.op_suites.{suite}")
    pipe.send("ready")
    while True:
        pipe.send(module.run(pipe.recv()))
