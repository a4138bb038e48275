"""A sparse forward data-flow analysis: facts about values from facts about their operands."""

from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

from ttstack.dialects.defining_op import defining_op
from ttstack.mlir import ir

F = TypeVar("F")


class Facts(Generic[F]):
    """Facts about values, computed by `transfer` once per value, without recursion.

    `transfer` gets the value, its defining op and the facts about the operands. There is no op for arguments, and for
    results of ops that `follows` rejects, whose operands are not visited.
    """

    def __init__(
        self,
        follows: Callable[[ir.Operation], bool],
        transfer: Callable[[ir.Value, ir.Operation | None, Sequence[F]], F],
    ) -> None:
        self._follows = follows
        self._transfer = transfer
        self._found: dict[ir.Value, F] = {}

    def about(self, value: ir.Value) -> F:
        """Return the fact about one value; compute the facts that it depends on first."""
        pending = [value]
        while pending:
            op = self._followed(pending[-1])
            operands = () if op is None else tuple(op.operands)
            missing = [v for v in operands if v not in self._found]
            if missing:
                pending += missing
            elif (now := pending.pop()) not in self._found:
                self._found[now] = self._transfer(now, op, [self._found[v] for v in operands])
        return self._found[value]

    def _followed(self, value: ir.Value) -> ir.Operation | None:
        op = defining_op(value)
        return None if op is None or not self._follows(op) else op
