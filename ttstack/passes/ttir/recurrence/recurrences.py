"""Recurrences of a function: chains of matmuls with the same weights."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import or_

from ttstack.dialects.base import definition_of
from ttstack.mlir import ir
from ttstack.passes.ttir.queries.producers import MATMULS
from ttstack.passes.ttir.queries.topological_order import makers


@dataclass(frozen=True)
class Recurrence:
    """Matmuls of a state with the same weights, each of which depends on the previous one."""

    products: Sequence[ir.Operation]
    bit: int
    needs: int
    """A bit set of all recurrences that its matmuls depend on."""

    @property
    def kind(self) -> Hashable:
        """Return the definitions of its matmuls, which recurrences that can be merged share."""
        return tuple(map(definition_of, self.products))


def recurrences(ops: Sequence[ir.Operation]) -> list[Recurrence]:
    """Return the recurrences of a function, by first matmul; none if there is only one."""
    by_weights: dict[Hashable, list[ir.Operation]] = {}
    for op in ops:
        if op.name in MATMULS:
            by_weights.setdefault(tuple(list(op.operands)[1:]), []).append(op)
    chains = [chain for chain in by_weights.values() if len(chain) > 1]
    if len(chains) < 2:
        return []
    bits = {op: 1 << i for i, chain in enumerate(chains) for op in chain}
    needs: dict[ir.Operation, int] = {}
    for op in ops:
        needs[op] = reduce(or_, (needs[maker] | bits.get(maker, 0) for maker in makers(op)), 0)
    return [
        Recurrence(chain, bits[chain[0]], needs[chain[-1]])
        for chain in chains
        if all(needs[op] & bits[op] for op in chain[1:])
    ]
