"""What integers of a program are used for: positions in a table, starts of bags, or nothing special."""

from collections.abc import Iterator
from dataclasses import dataclass
from math import prod
from typing import TypeAlias

from ttstack.ops.loop_nest import LoopNest
from ttstack.program.records import Function, Operation
from ttstack.tensor_train.shape import TensorTrainPlan


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
    first, second, *_ = (*operands, None, None)
    if first is None or second is None:
        return
    if operation.name == "gather":
        dim: int = operation.attributes["dim"]
        yield second, Positions(function.tensors[first].type.shape[dim])
    elif (picked := _table_and_bags(function, operation)) is not None:
        rows, offsets = picked
        yield first, Positions(rows)
        if offsets is not None:
            closed = bool(operation.attributes.get("include_last_offset", False))
            yield offsets, Starts(function.tensors[first].type.size, closed)


def _table_and_bags(function: Function, operation: Operation) -> tuple[int, int | None] | None:
    """How many rows the table has that the op's first operand picks from, and which tensor divides picks into bags."""
    indices, table, *_ = (function.tensors[t].type for t in operation.operands if t is not None)
    if operation.name in ("embedding", "embedding_backward", "embedding_bag"):
        rows, after = prod(table.shape[:-1]), operation.operands[2:]
    elif operation.name in ("tensor_train_embedding", "tensor_train_embedding_bag"):
        plan: TensorTrainPlan = operation.attributes["train"].plan
        rows, after = plan.rows, operation.operands[1 + plan.order :]
    else:
        return None
    divided = operation.name.endswith("_bag") and indices.rank == 1 and after
    return rows, after[0] if divided else None


def _keeps_values(operation: Operation) -> bool:
    program = operation.attributes.get("program")
    if isinstance(program, LoopNest):
        return all(op.name in ("copy", "transpose", "typecast") for op in program.body)
    return operation.name in _KEEPING


def _tighter(old: Role | None, new: Role) -> Role:
    if isinstance(old, Positions) and isinstance(new, Positions):
        return min(old, new, key=lambda role: role.bound)
    if isinstance(old, Starts) and isinstance(new, Starts):
        return Starts(min(old.count, new.count), old.closed or new.closed)
    return old or new
