"""Users' rewrites, as a pass."""

import logging
import math
import os
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass, field
from functools import cached_property, partial
from io import StringIO
from pathlib import Path

from ttstack.diagnostics import PatternError, SourceError
from ttstack.dialects.bytecode import bytecode
from ttstack.dialects.context import as_diagnostics
from ttstack.dialects.location import read_location
from ttstack.mlir import ir
from ttstack.passes.base import Pass, digest
from ttstack.passes.functions import replace_ops
from ttstack.passes.outcomes import APPLIED, SLOWER, count_patterns, describe_outcomes
from ttstack.passes.rewrite_log import Attempt, current_log, log_again, may_rewrite
from ttstack.passes.rewriting.pdl_file import read_pdl
from ttstack.passes.rewriting.python_file import read_python
from ttstack.passes.rewriting.trial import Trial, check_values, try_pattern
from ttstack.passes.rewriting.user_pattern import Allows, UserPattern
from ttstack.support import logs
from ttstack.support.isolation import Limits, isolates, run_isolated

_LOG = logs.channel("patterns")

_ROUNDS = 32
"""Number of rounds of all patterns after which those that still match are considered endless."""

PatternOutcomes = Mapping[str, Counter[str]]
"""By name of a pattern: how often it was applied, and declined by each reason; empty where it matched nothing."""


class ApplyPatterns(Pass, name="apply-patterns"):
    """Apply the patterns of a file (PDL or Python) until none matches, larger benefits first.

    Patterns that apply only if faster are priced at each place on the module's device. With `verify`, patterns that
    claim to keep values are tested on random inputs at each place before they are applied.
    """

    file: Path
    verify: bool = False

    @cached_property
    def patterns(self) -> tuple[UserPattern, ...]:
        """The patterns of the file, larger benefits first."""
        return tuple(sorted(read_patterns(self.file), key=lambda p: -p.conditions.benefit))

    def run(self, module: ir.Module) -> None:
        """Rewrite to a fixpoint in a child process, as a wrong pattern may crash, and forward its output.

        Raises:
            PatternError: the patterns cannot be applied, or the child crashed.
        """
        patterns = self.patterns
        if _LOG.isEnabledFor(logging.INFO):
            names = ", ".join(pattern.name for pattern in patterns)
            _LOG.info("'%s': %s, %s", self.file, names, "in a child process" if isolates() else "in this process")
        if not isolates():
            _count(apply(module, patterns, verify=self.verify))
            return
        try:
            rewritten, printed, outcomes, attempts = run_isolated(
                partial(_rewrite_aside, module, patterns, self.verify), _CHILD, _LIMITS
            )
        except SourceError as e:
            raise PatternError(
                f"the patterns of '{self.file}' ended the process that applied them",
                notes=e.diagnostic.notes,
                hint="a pattern must not keep ops or values for later, nor replace or erase an op twice",
            ) from e
        sys.stdout.write(printed)
        _count(outcomes)
        for attempt in attempts:
            log_again(attempt)
        if rewritten is not None:
            _replace_ops(module, rewritten)


_CHILD = "a module"
_LIMITS = Limits(seconds=7.0 * 24 * 3600, nbytes=1 << 50)
"""Limits that patterns never reach: the number of rewrites ends an endless pattern."""


def _count(outcomes: PatternOutcomes) -> None:
    """Count the outcomes for summaries of the pass, and log them."""
    count_patterns(outcomes)
    for name, found in outcomes.items():
        _LOG.info("%s: %s", name, describe_outcomes(found))


def _rewrite_aside(
    module: ir.Module, patterns: Iterable[UserPattern], verify: bool
) -> tuple[bytes | None, str, PatternOutcomes, Sequence[Attempt]]:
    """Return the module in bytecode after the patterns, None if unchanged; output, outcomes and logged attempts."""
    before, log = digest(module), current_log()
    logged = len(log.attempts) if log else 0
    with redirect_stdout(StringIO()) as printed:
        outcomes = apply(module, patterns, verify=verify, before=_note)
    attempts = log.attempts[logged:] if log else []
    if digest(module) == before:
        return None, printed.getvalue(), outcomes, attempts
    return bytecode(module), printed.getvalue(), outcomes, attempts


def _note(pattern: UserPattern) -> None:
    """Report the current pattern to the parent process."""
    os.write(2, f"pattern '{pattern.name}' at {pattern.where}\n".encode())


def _replace_ops(module: ir.Module, bytecode: bytes) -> None:
    """Replace the ops of a module by those of a module in bytecode."""
    replace_ops(module, replace_ops(ir.Module.parse(bytecode), ()))


def read_patterns(path: Path) -> list[UserPattern]:
    """Read the patterns of a file.

    Raises:
        PatternError: the file does not exist, is of an unknown kind, does not run, or has no patterns.
        InvalidIRError: the file is not valid PDL.
    """
    if not path.is_file():
        raise PatternError(f"there is no file '{path}'", hint="give a file of patterns, in PDL or in Python")
    readers = {".py": read_python, ".mlir": read_pdl, ".pdl": read_pdl}
    if path.suffix not in readers:
        raise PatternError(f"'{path}' is not a file of patterns", hint=f"its name ends in {', '.join(readers)}")
    found: list[UserPattern] = [*readers[path.suffix](path)]
    if not found:
        raise PatternError(
            f"'{path}' has no patterns", hint="see the page on patterns: one is `pdl.pattern` or `@pattern()`"
        )
    return found


def apply(
    module: ir.Module,
    patterns: Iterable[UserPattern],
    *,
    verify: bool,
    before: Callable[[UserPattern], object] = lambda _: None,
) -> PatternOutcomes:
    """Rewrite a module until no pattern matches, and return the outcomes of each pattern.

    `before` is called with each pattern before it is applied.

    Raises:
        PatternError: patterns undo each other, or with `verify`, one changes values that it claims to keep.
    """
    states = [(p, _PatternState(p.name)) for p in patterns]
    frozen = [(p, p.freeze(_allows(p, state, module, verify=verify), state.count)) for p, state in states]
    now = digest(module)
    for _ in range(_ROUNDS):
        stands = True
        for pattern, rewrites in frozen:
            before(pattern)
            with as_diagnostics(f"pattern '{pattern.name}' ({pattern.where}) failed"):
                ends = rewrites.apply(module)
            if not ends:
                raise PatternError(
                    f"pattern '{pattern.name}' matches what it makes, without end",
                    loc=pattern.where,
                    hint="have it match only what is not rewritten yet, and build ops only where it replaces the op",
                )
            last, now = now, digest(module)
            if last != now:
                stands = False
                with as_diagnostics(f"pattern '{pattern.name}' ({pattern.where}) left invalid IR"):
                    module.operation.verify()
        if stands:
            return {p.name: state.outcomes() for p, state in states}
    names = ", ".join(p.name for p, _ in frozen)
    raise PatternError(f"patterns still rewrite after {_ROUNDS} turns: {names}", hint="one undoes what another does")


@dataclass
class _PatternState:
    """Outcomes of a pattern: its applications, and the places where it was not faster."""

    name: str
    applied: int = 0
    slower: set[str] = field(default_factory=set[str])

    def count(self, op: ir.Operation) -> None:
        self.applied += 1
        self._log(op, APPLIED)

    def decline(self, op: ir.Operation, gain_ns: float) -> None:
        before = len(self.slower)
        self.slower.add(f"{op.name} {op.location}")
        if len(self.slower) > before:
            self._log(op, SLOWER, f"{-gain_ns / 1e3:.1f} µs more than now")

    def _log(self, op: ir.Operation, outcome: str, detail: str = "") -> None:
        if (log := current_log()) is not None:
            log.add(self.name, op.name, read_location(op.location), outcome, detail)

    def outcomes(self) -> Counter[str]:
        return +Counter({APPLIED: self.applied, SLOWER: len(self.slower)})


def _allows(pattern: UserPattern, state: _PatternState, module: ir.Module, *, verify: bool) -> Allows:
    tests = verify and pattern.conditions.keeps_values
    if not tests and not pattern.conditions.if_faster:
        return lambda _: may_rewrite()

    def allows(op: ir.Operation) -> bool:
        if not may_rewrite():
            return False
        trial = try_pattern(pattern, op.operation, module)
        if trial is None:
            return False
        if tests:
            check_values(pattern, op.operation, trial)
        gain = _gain(pattern, trial) if pattern.conditions.if_faster else math.inf
        if gain <= 0.0:
            state.decline(op.operation, gain)
        return gain > 0.0

    return allows


def _gain(pattern: UserPattern, trial: Trial) -> float:
    if (gain := trial.gain_ns) is None:
        raise PatternError(
            f"pattern '{pattern.name}' has if_faster, which needs a device, and the module has none",
            loc=pattern.where,
            hint="give --system-desc, or put attach-system-desc before apply-patterns",
        )
    return gain
