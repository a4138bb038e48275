"""Ops added up: by module of the model, by class, by name, or by the calls of the library that they become."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Literal, get_args

from ttstack.program.locations import parts
from ttstack.report.model import OpReport, OpSums

GroupKind = Literal["module", "class", "op", "calls"]
"""What ops are added up by."""
GROUP_KINDS: tuple[GroupKind, ...] = get_args(GroupKind)


@dataclass(frozen=True)
class Group(OpSums):
    """Some ops, those of groups within included, and the groups that they fall into."""

    path: tuple[str, ...]
    """Names from the outermost group to this one; those of groups that hold one group and nothing else are joined."""
    groups: tuple["Group", ...] = ()
    """In the order of their first ops."""

    @property
    def name(self) -> str:
        """The last part of the path; empty of all ops together."""
        return self.path[-1] if self.path else ""

    @property
    def own_ops(self) -> tuple[OpReport, ...]:
        """Those that no group within has."""
        within = {op.index for group in self.groups for op in group.ops}
        return tuple(op for op in self.ops if op.index not in within)

    def down_to(self, depth: int) -> Iterator["Group"]:
        """The groups within, each before those that it holds; `depth` 1 is the outermost alone."""
        for group in self.groups if depth else ():
            yield group
            yield from group.down_to(depth - 1)


def group_ops(ops: Iterable[OpReport], by: GroupKind) -> Group:
    """All ops, with groups of those of one module, class, name or decomposition within."""
    return _group((), [(_PATHS[by](op), op) for op in ops])


def module_path(op: OpReport) -> tuple[str, ...]:
    """The modules that an op comes from, outermost first; where it has no name, its file."""
    name, place = parts(op.location)
    return tuple(name.split(".")) if name else (place.rpartition(":")[0].rpartition("/")[2] or place or "unknown",)


def _call_path(op: OpReport) -> tuple[str, ...]:
    """What it is decomposed to."""
    return (f"{op.name} = {' + '.join(call.name for call in op.calls)}" if op.calls else "one call",)


_PATHS: dict[GroupKind, Callable[[OpReport], tuple[str, ...]]] = {
    "module": module_path,
    "class": lambda op: (op.op_class,),
    "op": lambda op: (op.name,),
    "calls": _call_path,
}


def _group(path: tuple[str, ...], rest: list[tuple[tuple[str, ...], OpReport]]) -> Group:
    """The group of ops that have these paths within it."""
    within: dict[str, list[tuple[tuple[str, ...], OpReport]]] = {}
    for names, op in rest:
        if names:
            within.setdefault(names[0], []).append((names[1:], op))
    return Group(tuple(op for _, op in rest), path, tuple(_joined(path, name, ops) for name, ops in within.items()))


def _joined(path: tuple[str, ...], name: str, rest: list[tuple[tuple[str, ...], OpReport]]) -> Group:
    """A group, with what it alone holds in its name: `model.model` for a module in which nothing else is."""
    while len(first := {names[:1] for names, _ in rest}) == 1 and (only := first.pop()):
        name, rest = f"{name}.{only[0]}", [(names[1:], op) for names, op in rest]
    return _group((*path, name), rest)
