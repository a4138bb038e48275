"""Patterns as Python functions on views of ops."""

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial, update_wrapper
from pathlib import Path
from typing import Any, cast, get_type_hints, overload

from ttstack.diagnostics import PatternError
from ttstack.dialects.built_ops import erase_leftovers
from ttstack.dialects.ttir.views import View
from ttstack.mlir import ir, rewrite
from ttstack.passes.rewrite_log import current_log, note_near_miss
from ttstack.passes.rewriting.guard import guard_ops
from ttstack.passes.rewriting.near_miss import trace_condition
from ttstack.passes.rewriting.pattern import Pattern, replace_by
from ttstack.passes.rewriting.user_pattern import Allows, Applied, Conditions, DriverPatterns, UserPattern
from ttstack.support.environment import DEBUG
from ttstack.support.user_code import as_fault, run_file

_DEFINED = "__ttstack_patterns__"
"""The name of the module variable with the patterns."""

Replaces = Callable[[Any], ir.Value | Sequence[ir.Value] | None]
"""Takes a view of an op; returns its replacement, or None if the pattern does not match."""


@dataclass(frozen=True, kw_only=True)
class PythonPattern(UserPattern):
    """A pattern from a function of a file."""

    root: type[View]
    function: Replaces

    def __call__(self, op: View) -> ir.Value | Sequence[ir.Value] | None:
        """Return the replacement of an op's results from the function."""
        return self.function(op)

    def freeze(self, allows: Allows, applied: Applied = lambda _: None) -> DriverPatterns:
        """Return the pattern on the ops of its view."""

        def replace(op: ir.Operation) -> Sequence[ir.Value] | None:
            values = self._replacement(op) if allows(op) else None
            if values is not None:
                applied(op)
            return values

        patterns = rewrite.RewritePatternSet()
        patterns.add(self.root.op_name, replace_by(replace))
        return DriverPatterns(patterns.freeze())

    def _replacement(self, op: ir.Operation) -> Sequence[ir.Value] | None:
        fault = as_fault(f"pattern '{self.name}' failed", _error, inspect.getsourcefile(self.function))
        log = current_log()
        with guard_ops() as built, fault:
            if log is None or not log.explains(self.name):
                found = self.function(self.root(op))
            else:
                found, condition = trace_condition(self.function, lambda: self.function(self.root(op)))
                if found is None:
                    note_near_miss(op, condition, rewrite=self.name)
        values = self._checked(op, found)
        self._check_reads(op, built, values)
        erase_leftovers(built, but=values or ())
        return values

    def _check_reads(self, op: ir.Operation, built: Sequence[ir.Operation], values: Sequence[ir.Value] | None) -> None:
        """Raise an error if remaining ops use the op that is replaced."""
        readers = [f"builds {b.name} of" for b in built if any(v in op.results for v in b.operands)]
        if values is not None and (said := ["returns", *readers] if any(v in op.results for v in values) else readers):
            raise PatternError(
                f"pattern '{self.name}' {said[0]} a result of the op that it replaces",
                loc=self.where,
                hint="use what the op reads, such as `op.input`, or build the op anew",
            )

    def _checked(self, op: ir.Operation, found: Any) -> Sequence[ir.Value] | None:
        values = [found] if isinstance(found, ir.Value) else found
        if values is not None and not (isinstance(values, Sequence) and all(isinstance(v, ir.Value) for v in values)):
            raise PatternError(
                f"pattern '{self.name}' returns a {type(cast(object, found)).__name__}",
                loc=self.where,
                hint="return a value, such as `op.input` or `ttir.neg(x)`, one for each result, or None",
            )
        if values is not None and [v.type for v in values] != [r.type for r in op.results]:
            raise PatternError(
                f"pattern '{self.name}' replaces {_types(op.results)} by {_types(values)}",
                loc=self.where,
                hint="give values of the same types",
            )
        return values


@overload
def pattern(function: Replaces, /) -> PythonPattern: ...


@overload
def pattern(
    *, benefit: int = 1, keeps_values: bool = False, if_faster: bool = False
) -> Callable[[Replaces], PythonPattern]: ...


def pattern(
    function: Replaces | None = None, /, *, benefit: int = 1, keeps_values: bool = False, if_faster: bool = False
) -> PythonPattern | Callable[[Replaces], PythonPattern]:
    """Make a pattern of a function whose one parameter is annotated with the view of the op that it replaces.

    Args:
        function: The function, if there are no options: `@pattern` and `@pattern()` are the same.
        benefit: The pattern with the larger one is tried first.
        keeps_values: Whether it claims to keep values, which `--verify-patterns` tests.
        if_faster: Whether it is used only if the cost model predicts a faster program.

    Raises:
        PatternError: the function has no such parameter, or the benefit is not a whole number from 0 on.
    """

    def decorate(function: Replaces) -> PythonPattern:
        name = getattr(function, "__name__", "pattern")
        where = f"{inspect.getsourcefile(function)}:{function.__code__.co_firstlineno}"
        hints = get_type_hints(function)
        views = [hints.get(p) for p in inspect.signature(function).parameters]
        if len(views) != 1 or not (isinstance(views[0], type) and issubclass(views[0], View)):
            raise PatternError(
                f"pattern '{name}' does not name the op that it replaces",
                loc=where,
                hint=f"write `def {name}(op: views.Matmul)`: one parameter, annotated with a view",
            )
        if type(benefit) is not int or benefit < 0:
            raise PatternError(
                f"pattern '{name}' has benefit {benefit!r}", loc=where, hint="give a whole number from 0"
            )
        conditions = Conditions(benefit, keeps_values, if_faster)
        made = PythonPattern(name, where, conditions, root=views[0], function=function)
        function.__globals__.setdefault(_DEFINED, []).append(made)
        return made

    return decorate if function is None else decorate(function)


def with_roots(*patterns: PythonPattern) -> tuple[tuple[str, Pattern], ...]:
    """Return internal patterns with their roots for `apply_patterns`; their results are not checked."""
    return tuple((p.root.op_name, update_wrapper(partial(_values, p.root, p.function), p.function)) for p in patterns)


def _values(root: type[View], function: Replaces, op: ir.Operation) -> Sequence[ir.Value] | None:
    found = function(root(op))
    return [found] if isinstance(found, ir.Value) else found


def read_python(path: Path) -> list[PythonPattern]:
    """Run a file and return the patterns that it defines, in order.

    Raises:
        PatternError: it does not run, or two of its patterns have one name.
    """
    found: list[PythonPattern] = vars(run_file(path, _error)).get(_DEFINED, [])
    first = {made.name: made for made in reversed(found)}
    if twice := [f"{made.where}: {made.name}" for made in found if first[made.name] is not made]:
        raise PatternError(f"'{path}' has patterns of one name", notes=tuple(twice), hint="give each a name of its own")
    return found


def _error(what: str, place: str | None) -> PatternError:
    return PatternError(what, loc=place, hint=f"fix the pattern; {DEBUG.name}=1 prints frames of ttstack too")


def _types(values: Sequence[ir.Value]) -> str:
    return ", ".join(str(v.type) for v in values) or "nothing"
