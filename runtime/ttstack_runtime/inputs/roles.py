"""What integers of a program are used for: positions in a table, starts of bags, or nothing special."""

from collections.abc import Iterator
from dataclasses import dataclass
from math import prod
from typing import TypeAlias

from ttstack.ops.dispatch import Dispatch
from ttstack.program.records import Function, Operation


@dataclass(frozen=True)
class Positions:
    """Values are positions of a table with `bound` of them."""

    bound: int


@dataclass(frozen=True)
class Starts:
    """Values ascend from 0 to at most `count`; the last one is `count` where `closed`."""

    count: int
    closed: bool


Role: TypeAlias = Positions | Starts

_KEEPING = frozenset(
    {
        "broadcast",
        "concat",
        "index",
        "permute",
        "repeat",
        "reshape",
        "reverse",
        "slice_static",
        "squeeze",
        "to_layout",
        "transpose",
        "typecast",
        "unsqueeze",
    }
)
"""Ops whose result holds nothing but values of their operands."""


def roles(function: Function) -> dict[int, Role]:
    """Role of each integer tensor that has one, by id; the tightest where several ops use it."""
    found: dict[int, Role] = {}
    for operation in reversed(function.operations):
        for tensor, role in _given(function, operation, found):
            if not function.tensors[tensor].type.dtype.is_float:
                found[tensor] = _tighter(found.get(tensor), role)
    return found


def _given(function: Function, operation: Operation, found: dict[int, Role]) -> Iterator[tuple[int, Role]]:
    """Roles that an operation gives to its operands, by what its result is used for or by itself."""
    operands = operation.operands
    if _keeps_values(operation) and operation.results[0] in found:
        yield from ((t, found[operation.results[0]]) for t in operands if t is not None)
        return
    if operation.name not in ("embedding", "embedding_backward", "embedding_bag", "gather"):
        return
    first, second = operands[0], operands[1]
    if first is None or second is None:
        return
    if operation.name == "gather":
        dim: int = operation.attributes["dim"]
        yield second, Positions(function.tensors[first].type.shape[dim])
        return
    yield first, Positions(prod(function.tensors[second].type.shape[:-1]))
    offsets = operands[2] if operation.name == "embedding_bag" and len(operands) > 2 else None
    if offsets is not None:
        closed = bool(operation.attributes.get("include_last_offset", False))
        yield offsets, Starts(function.tensors[first].type.size, closed)


def _keeps_values(operation: Operation) -> bool:
    program = operation.attributes.get("program")
    if isinstance(program, Dispatch):
        return all(op.name in ("copy", "transpose", "typecast") for op in program.body)
    return operation.name in _KEEPING


def _tighter(old: Role | None, new: Role) -> Role:
    if isinstance(old, Positions) and isinstance(new, Positions):
        return min(old, new, key=lambda role: role.bound)
    if isinstance(old, Starts) and isinstance(new, Starts):
        return Starts(min(old.count, new.count), old.closed or new.closed)
    return old or new
