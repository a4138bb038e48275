"""Rewrites of a user's own, as a pass."""

import os
import sys
from collections.abc import Callable, Iterable
from contextlib import redirect_stdout
from functools import cached_property, partial
from io import BytesIO, StringIO
from pathlib import Path

from ttstack.diagnostics import PatternError, SourceError
from ttstack.dialects.context import as_diagnostics
from ttstack.mlir import ir
from ttstack.passes.base import Pass, digest
from ttstack.passes.functions import replace_ops
from ttstack.passes.rewriting.pdl_file import read_pdl
from ttstack.passes.rewriting.python_file import read_python
from ttstack.passes.rewriting.trial import Trial, check_values, try_pattern
from ttstack.passes.rewriting.user_pattern import Allows, UserPattern
from ttstack.support.isolation import Limits, isolates, run_isolated

_ROUNDS = 32
"""Turns of all patterns after which those that still rewrite undo each other."""


class ApplyPatterns(Pass, name="apply-patterns"):
    """Patterns of a file, in PDL (`.mlir`, `.pdl`) or in Python (`.py`), until none matches, the larger benefit first.

    Where a pattern is to be used only if it is faster, each place is priced on the module's device. With `verify`, one
    that claims to keep values is tried on random inputs at each place before it is used there.
    """

    file: Path
    verify: bool = False

    @cached_property
    def patterns(self) -> tuple[UserPattern, ...]:
        """Those of the file, the larger benefit first."""
        return tuple(sorted(read_patterns(self.file), key=lambda p: -p.conditions.benefit))

    def run(self, module: ir.Module) -> None:
        """Rewrite to a fixpoint, in a child of the process, as a wrong pattern may end it; what it prints follows.

        Raises:
            PatternError: the patterns cannot be applied, or the child did not survive them.
        """
        patterns = self.patterns
        if not isolates():
            apply(module, patterns, verify=self.verify)
            return
        try:
            rewritten, printed = run_isolated(partial(_rewrite_aside, module, patterns, self.verify), _CHILD, _LIMITS)
        except SourceError as e:
            raise PatternError(
                f"the patterns of '{self.file}' ended the process that applied them",
                notes=e.diagnostic.notes,
                hint="a pattern must not keep ops or values for later, nor replace or erase an op twice",
            ) from e
        sys.stdout.write(printed)
        if rewritten is not None:
            _replace_ops(module, rewritten)


_CHILD = "a module"
_LIMITS = Limits(seconds=7.0 * 24 * 3600, nbytes=1 << 50)
"""None that patterns reach: an endless one is ended by the number of its rewrites."""


def _rewrite_aside(module: ir.Module, patterns: Iterable[UserPattern], verify: bool) -> tuple[bytes | None, str]:
    """The module in bytecode after the patterns, None where it is as before, and what they print."""
    before = digest(module)
    with redirect_stdout(StringIO()) as printed:
        apply(module, patterns, verify=verify, before=_note)
    if digest(module) == before:
        return None, printed.getvalue()
    code = BytesIO()
    module.operation.write_bytecode(code)
    return code.getvalue(), printed.getvalue()


def _note(pattern: UserPattern) -> None:
    """Leave for the parent which one was the last."""
    os.write(2, f"pattern '{pattern.name}' at {pattern.where}\n".encode())


def _replace_ops(module: ir.Module, bytecode: bytes) -> None:
    """The ops of a module in bytecode in place of those of this one."""
    replace_ops(module, replace_ops(ir.Module.parse(bytecode), ()))


def read_patterns(path: Path) -> list[UserPattern]:
    """The patterns of a file.

    Raises:
        PatternError: there is no such file, it is of no known kind, does not run, or has no patterns.
        InvalidIRError: it is no PDL.
    """
    if not path.is_file():
        raise PatternError(f"there is no file '{path}'", hint="give a file of patterns, in PDL or in Python")
    readers = {".py": read_python, ".mlir": read_pdl, ".pdl": read_pdl}
    if path.suffix not in readers:
        raise PatternError(f"'{path}' is no file of patterns", hint=f"its name ends in {', '.join(readers)}")
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
) -> None:
    """Rewrite a module until no pattern matches; `before` is called with each pattern before its turn.

    Raises:
        PatternError: patterns undo each other, or with `verify`, one changes values that it claims to keep.
    """
    frozen = [(p, p.freeze(_allows(p, module, verify=verify))) for p in patterns]
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
            return
    names = ", ".join(p.name for p, _ in frozen)
    raise PatternError(f"patterns still rewrite after {_ROUNDS} turns: {names}", hint="one undoes what another does")


def _allows(pattern: UserPattern, module: ir.Module, *, verify: bool) -> Allows:
    tests = verify and pattern.conditions.keeps_values
    if not tests and not pattern.conditions.if_faster:
        return lambda _: True

    def allows(op: ir.Operation) -> bool:
        trial = try_pattern(pattern, op.operation, module)
        if trial is None:
            return False
        if tests:
            check_values(pattern, op.operation, trial)
        return not pattern.conditions.if_faster or _gain(pattern, trial) > 0.0

    return allows


def _gain(pattern: UserPattern, trial: Trial) -> float:
    if (gain := trial.gain_ns) is None:
        raise PatternError(
            f"pattern '{pattern.name}' is for where it is faster, and the module names no device",
            loc=pattern.where,
            hint="give --system-desc, or put attach-system-desc before apply-patterns",
        )
    return gain
