"""A log of rewrites over a compilation: each application has a number, after which rewrites can stop."""

import threading
from collections import Counter
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field

from ttstack.dialects.location import read_location
from ttstack.mlir import ir
from ttstack.passes.outcomes import APPLIED, count_outcome

NO_MATCH = "did not match"
"""The outcome of an attempt on an op of the right name that does not fulfil a condition."""

_STATE = threading.local()


@dataclass(frozen=True)
class Attempt:
    """A rewrite that matched an op."""

    step: str
    """The title of the pass."""
    rewrite: str
    """The function of the rewrite, or the name of a user's pattern; the pass if it is one rewrite."""
    op: str
    """The name of the op that it matched; empty if a pass was applied as a whole."""
    location: str
    outcome: str
    """`applied`, or the reason for which it was not."""
    detail: str = ""
    """Predicted times that decided."""
    number: int | None = None
    """Counts applications from 1; None if it was not applied."""

    @property
    def name(self) -> str:
        """The pass, and the rewrite where a pass has several."""
        return self.step if self.rewrite in ("", self.step) else f"{self.step}: {self.rewrite}"

    @property
    def line(self) -> str:
        """The place, and the times or the condition that decided."""
        return f"{self.place}: {self.detail}" if self.detail else self.place

    @property
    def place(self) -> str:
        """The number, the op and its location, such as `#3 ttir.gelu at model.py:7`."""
        number = f"#{self.number} " if self.number else ""
        at = f" at {self.location}" if self.location else ""
        return f"{number}{self.op or 'the module'}{at}"


@dataclass
class RewriteLog:
    """What rewrites did in a block of `log_rewrites`."""

    stop_after: int | None = None
    """The number of applications after which no optional pass rewrites; None for no limit."""
    only: str = ""
    """The title of the pass that the limit is for; of all if empty."""
    stops_all: bool = False
    """Whether passes that are not optional stop too: what is left may not compile any further."""
    keeps_declined: bool = False
    """Whether attempts that were declined are kept."""
    near_misses: str = ""
    """A pass or a pattern whose attempts that did not match are kept too, with the condition; `all` for each."""
    attempts: list[Attempt] = field(default_factory=list[Attempt])
    applied: int = 0
    _step: str = ""
    _optional: bool = False
    _applied_by: Counter[str] = field(default_factory=Counter[str])
    _before: int = 0
    """Applications before the pass that runs."""

    @property
    def is_exhausted(self) -> bool:
        """True if no rewrite of the current pass may be applied any more."""
        if self.stop_after is None or not (self._optional or self.stops_all) or self.only not in ("", self._step):
            return False
        return (self._applied_by[self._step] if self.only else self.applied) >= self.stop_after

    def explains(self, pattern: str = "") -> bool:
        """Return True if attempts that do not match are kept, of the current pass or of a user's pattern."""
        return self.near_misses in ("all", self._step, pattern or self._step)

    @property
    def applications(self) -> list[Attempt]:
        """The attempts that were applied."""
        return [attempt for attempt in self.attempts if attempt.number is not None]

    def begin(self, step: str, *, optional: bool) -> bool:
        """Begin a pass; return False if it must not run, as the limit is reached."""
        self._step, self._optional, self._before = step, optional, self.applied
        return not self.is_exhausted

    def end(self, *, changed: bool) -> None:
        """End a pass; one that changed the module without numbering its rewrites counts as one application."""
        if changed and self.applied == self._before:
            self.add("", "", "", APPLIED)

    def add(self, rewrite: str, op: str, location: str, outcome: str, detail: str = "") -> None:
        """Log an attempt of the current pass."""
        if outcome == APPLIED:
            self.applied += 1
            self._applied_by[self._step] += 1
            self.attempts.append(Attempt(self._step, rewrite, op, location, outcome, detail, self.applied))
        elif self.keeps_declined or outcome == NO_MATCH:
            self.attempts.append(Attempt(self._step, rewrite, op, location, outcome, detail))


@contextmanager
def log_rewrites(log: RewriteLog) -> Generator[RewriteLog]:
    """Log the rewrites of passes inside the block; rewrites that price candidates inside of others are not logged."""
    outer = getattr(_STATE, "log", None)
    _STATE.log = log
    try:
        yield log
    finally:
        _STATE.log = outer


def current_log() -> RewriteLog | None:
    """Return the log of the innermost block of `log_rewrites`."""
    return getattr(_STATE, "log", None)


def note_near_miss(op: ir.Operation, condition: str, *, rewrite: str = "") -> None:
    """Log an op of the right name that a rewrite did not match, with the condition that it does not fulfil."""
    if (log := current_log()) is not None and condition:
        log.add(rewrite, op.name, read_location(op.location), NO_MATCH, condition)


def log_again(attempt: Attempt) -> None:
    """Log an attempt that a child process made, as the next one."""
    if (log := current_log()) is not None:
        log.add(attempt.rewrite, attempt.op, attempt.location, attempt.outcome, attempt.detail)


@contextmanager
def pause_log() -> Generator[None]:
    """Log no rewrites inside the block, and stop none: they are tried on a copy."""
    outer = getattr(_STATE, "log", None)
    _STATE.log = None
    try:
        yield
    finally:
        _STATE.log = outer


def may_rewrite() -> bool:
    """Return True unless the log's limit of applications is reached."""
    log = current_log()
    return log is None or not log.is_exhausted


def note_attempt(op: ir.Operation, outcome: str, *, rewrite: str = "", detail: str = "") -> None:
    """Count an outcome of the current pass, and log it with the op that was matched."""
    count_outcome(outcome)
    log = current_log()
    if log is not None and (outcome == APPLIED or log.keeps_declined):
        log.add(rewrite, op.name, read_location(op.location), outcome, detail)
