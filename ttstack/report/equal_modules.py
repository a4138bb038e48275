"""Fold equal modules of a model, such as the layers of an encoder, and equal ops within them.

Modules are equal if they have the same ops on tensors of the same types, and names that differ in a number alone.
Changes of layout do not count: the first layer often reads its input from elsewhere.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import groupby
from typing import Any

from ttstack.program.locations import parts
from ttstack.report.groups import Group, group_ops, module_path
from ttstack.report.model import OpReport, OpSums, ReportFigures
from ttstack.report.rows import op_rows, sum_ops

_LARGE = 0.2
"""Share of the time from which on a module is split."""
_LISTED = 2
"""Number of equal modules that are named one by one, because they need not be consecutive."""
_NUMBERED = re.compile(r"(.*?)(\d+)(\D*)")


@dataclass(frozen=True)
class ModuleRun(OpSums):
    """A module, or several equal ones in a row."""

    path: tuple[str, ...]
    """Names from the outermost module to this one; the last names all: `0 to 23`."""
    groups: tuple[Group, ...]
    """Its modules, one for each time."""

    @property
    def name(self) -> str:
        """The path with dots."""
        return ".".join(self.path)

    @property
    def times(self) -> int:
        """Number of equal modules in the row."""
        return len(self.groups)

    @cached_property
    def inner(self) -> tuple["ModuleRun", ...]:
        """Return the inner modules; its own ops form one more, of the same name, if they take less than half."""
        if self.times > 1 or not self.groups[0].groups:
            return ()
        own = self.groups[0].own_ops
        if self.path and 2 * sum(op.elapsed_ns for op in own) > self.elapsed_ns:
            return ()
        rest = (ModuleRun(own, self.path, (Group(own, self.groups[0].path),)),) if own else ()
        return (*rest, *_runs(self.groups[0].groups, self.path, " to "))


def module_rows(ops: Iterable[OpReport], most: int) -> list[ModuleRun]:
    """Return at most `most` modules that have all ops together, in the order of execution.

    Modules that take a fifth of the time or more are split, the longest first, as long as there is room; equal ones
    are never split.
    """
    root = group_ops(ops, "module")
    rows = list(ModuleRun(root.ops, (), (root,)).inner)
    large = _LARGE * root.elapsed_ns
    while splittable := [
        row for row in rows if row.elapsed_ns >= large and row.inner and len(rows) - 1 + len(row.inner) <= most
    ]:
        longest = max(splittable, key=lambda row: row.elapsed_ns)
        at = rows.index(longest)
        rows[at : at + 1] = longest.inner
    return rows


def folded_ops(report: ReportFigures) -> list[OpReport]:
    """Return one op for those that equal modules, or one line of the source, have in common; its figures are sums."""
    return [ops[0] if len(ops) == 1 else sum_ops(ops) for ops in equal_ops(report)]


def equal_ops(report: ReportFigures) -> list[list[OpReport]]:
    """Return lists of equal ops, whose locations name all of their modules; steps have sums."""
    alike: dict[Any, list[OpReport]] = {}
    for op, path in _folded_paths(group_ops(op_rows(report), "module"), ()):
        alike.setdefault((path, parts(op.location)[1], *_kind(op)), []).append(replace(op, location=_at(op, path)))
    return list(alike.values())


def _at(op: OpReport, path: Sequence[str]) -> str:
    """Return the location of an op with another module path; one without a name stays."""
    name, place = parts(op.location)
    return f"{'.'.join(path)} ({place})" if name else op.location


def _folded_paths(group: Group, path: tuple[str, ...]) -> Iterator[tuple[OpReport, tuple[str, ...]]]:
    yield from ((op, path) for op in group.own_ops)
    for run in _runs(group.groups, path, "-"):
        for member in run.groups:
            yield from _folded_paths(member, run.path)


def _runs(groups: Iterable[Group], outer: tuple[str, ...], to: str) -> list[ModuleRun]:
    runs: list[ModuleRun] = []
    for _, alike in groupby(groups, key=_signature):
        members = tuple(alike)
        names = [members[0].name, *(_number(member.name) for member in members[1:])]
        name = ",".join(names) if len(names) <= _LISTED else f"{names[0]}{to}{names[-1]}"
        runs.append(ModuleRun(tuple(op for g in members for op in g.ops), (*outer, name), members))
    return runs


def _number(name: str) -> str:
    found = _NUMBERED.fullmatch(name)
    return "".join(found.groups()[1:]) if found else name


def _signature(group: Group) -> tuple[Any, ...]:
    """Return the shared properties of equal modules; the whole name if it has no number."""
    found = _NUMBERED.fullmatch(group.name)
    if found is None:
        return (group.path,)
    depth = sum(name.count(".") + 1 for name in group.path)
    ops = Counter((module_path(op)[depth:], *_kind(op)) for op in group.ops if op.op_class != "layout")
    return found[1], found[3], frozenset(ops.items())


def _kind(op: OpReport) -> tuple[Any, ...]:
    return op.name, tuple(t.type for t in op.operands), tuple(t.type for t in op.results)
