"""Checks on users' functions: which changes they may make, and which ops they leave."""

import inspect
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from functools import cache
from typing import Any, cast

from ttstack.diagnostics import PatternError
from ttstack.dialects.built_ops import record_ops
from ttstack.dialects.ttir.builders import Builders
from ttstack.mlir import ir
from ttstack.ops import OPS
from ttstack.ops.types import TensorType

_CHANGES = ("erase", "detach_from_parent", "move_before", "move_after")
_GUARDED = threading.local()


@contextmanager
def guard_ops() -> Generator[list[ir.Operation]]:
    """Reject changes that crash MLIR's driver inside the block; yield the ops that `ttir` builds there, in order."""
    _refuse_changes()
    outer, _GUARDED.inside = getattr(_GUARDED, "inside", False), True
    try:
        with record_ops() as built:
            yield built
    finally:
        _GUARDED.inside = outer


class GuardedBuilders(Builders):
    """Builders that reject invalid operands with a message."""

    def operation(self, mnemonic: str, /, *operands: ir.Value | None, **given: Any) -> ir.Operation:
        """Build the op of that name."""
        name = f"ttir.{mnemonic}"
        for number, operand in enumerate(cast(tuple[object, ...], operands)):
            if not isinstance(operand, ir.Value | None):
                kind = type(operand).__name__
                raise TypeError(
                    f"operand {number} of {name} is a {kind}, no value such as `op.input` or `ttir.full(...)`"
                )
        types = given.get("result")
        if not all(isinstance(t, TensorType | None) for t in (types if isinstance(types, list | tuple) else [types])):
            raise TypeError(f"result={types!r} of {name} is not a type such as `read_type(op.input.type)`")
        try:
            return super().operation(mnemonic, *operands, **given)
        except (TypeError, ValueError) as e:
            if str(e).startswith(name):
                raise
            spelled = ", ".join(f"{key}={value!r}" for key, value in given.items())
            hint = "; result= gives its type" if OPS[mnemonic].result_fields() and types is None else ""
            raise type(e)(f"{name}({spelled}) on {len(operands)} operands: {e}{hint}") from e


@cache
def _refuse_changes() -> None:
    for name in _CHANGES:
        _refuse_inside(name)


def _refuse_inside(name: str) -> None:
    """Make a method of all operations raise while a user's function runs in this thread."""
    base = next(kind for kind in ir.Operation.__mro__ if name in vars(kind))
    changes: Callable[..., object] = getattr(base, name)

    def change(self: ir.Operation, *values: object) -> object:
        if getattr(_GUARDED, "inside", False):
            caller = inspect.stack(0)[1]
            raise PatternError(
                f"a pattern may not {name.partition('_')[0]} an op",
                loc=f"{caller.filename}:{caller.lineno}",
                hint="return the replacements of the results; unused ops are erased automatically",
            )
        return changes(self, *values)

    setattr(base, name, change)
