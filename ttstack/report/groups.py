"""Sums of ops: by module of the model, class, name, bound, or the calls of the library that they become."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Literal, get_args

from ttstack.program.locations import parts
from ttstack.report.model import OpReport, OpSums

GroupKind = Literal["module", "class", "op", "bound", "calls"]
"""The keys that ops can be grouped by."""
GROUP_KINDS: tuple[GroupKind, ...] = get_args(GroupKind)


@dataclass(frozen=True)
class Group(OpSums):
    """Some ops, those of groups within included, and the groups that they fall into."""

    path: tuple[str, ...]
    """Names from the outermost group to this one; those of groups that hold one group and nothing else are joined."""
    groups: tuple["Group", ...] = ()
    """Inner groups, in the order of their first ops."""

    @property
    def name(self) -> str:
        """The last part of the path; empty of all ops together."""
        return self.path[-1] if self.path else ""

    @property
    def own_ops(self) -> tuple[OpReport, ...]:
        """Ops that are not in a nested group."""
        within = {op.index for group in self.groups for op in group.ops}
        return tuple(op for op in self.ops if op.index not in within)

    def down_to(self, depth: int) -> Iterator["Group"]:
        """Yield the inner groups down to `depth`, parents first; 1 is only the outermost."""
        for group in self.groups if depth else ():
            yield group
            yield from group.down_to(depth - 1)


def group_ops(ops: Iterable[OpReport], by: GroupKind) -> Group:
    """Return all ops, with groups of those of one module, class, name, bound or decomposition within."""
    return _group((), [(_PATHS[by](op), op) for op in ops])


def module_path(op: OpReport) -> tuple[str, ...]:
    """Return the modules of an op, outermost first; its file if it has no name."""
    name, place = parts(op.location)
    return tuple(name.split(".")) if name else (place.rpartition(":")[0].rpartition("/")[2] or place or "unknown",)


def _call_path(op: OpReport) -> tuple[str, ...]:
    """Return the calls that the op is decomposed into."""
    return (f"{op.name} = {' + '.join(call.name for call in op.calls)}" if op.calls else "one call",)


_PATHS: dict[GroupKind, Callable[[OpReport], tuple[str, ...]]] = {
    "module": module_path,
    "class": lambda op: (op.op_class,),
    "op": lambda op: (op.name,),
    "bound": lambda op: (op.bound,),
    "calls": _call_path,
}


def _group(path: tuple[str, ...], rest: list[tuple[tuple[str, ...], OpReport]]) -> Group:
    """Return the group of ops that have these paths within it."""
    within: dict[str, list[tuple[tuple[str, ...], OpReport]]] = {}
    for names, op in rest:
        if names:
            within.setdefault(names[0], []).append((names[1:], op))
    return Group(tuple(op for _, op in rest), path, tuple(_joined(path, name, ops) for name, ops in within.items()))


def _joined(path: tuple[str, ...], name: str, rest: list[tuple[tuple[str, ...], OpReport]]) -> Group:
    """Return a group, whose name includes its only inner group: `model.model`."""
    while len(first := {names[:1] for names, _ in rest}) == 1 and (only := first.pop()):
        name, rest = f"{name}.{only[0]}", [(names[1:], op) for names, op in rest]
    return _group((*path, name), rest)
