"""Pairs of equal ops of two independent computations."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from graphlib import CycleError, TopologicalSorter

from ttstack.dialects.base import definition_of
from ttstack.dialects.defining_op import defining_op
from ttstack.mlir import ir
from ttstack.ops.eltwise import Eltwise
from ttstack.ops.matmul import Matmul
from ttstack.passes.dataflow import Facts
from ttstack.passes.ttir.queries.compile_time import Parameters, parameters
from ttstack.passes.ttir.queries.topological_order import makers
from ttstack.passes.ttir.recurrence.interleaved_columns import works_in_lanes
from ttstack.passes.ttir.recurrence.paired_time_steps import Sense, is_step, senses

Pair = tuple[ir.Operation, ir.Operation]
Tensors = tuple[ir.Value, ir.Value]


@dataclass
class PairedOps:
    """Pairs of ops, found from other pairs through operands or uses."""

    second: dict[ir.Operation, ir.Operation] = field(default_factory=dict[ir.Operation, ir.Operation])
    """For each op of the first computation, the op of the second one."""
    first: dict[ir.Operation, ir.Operation] = field(default_factory=dict[ir.Operation, ir.Operation])
    steps: dict[Tensors, set[Sense]] = field(default_factory=dict[Tensors, set[Sense]])
    """The tensors whose time steps both use, and the directions in which all their steps correspond."""
    reversed_dims: dict[ir.Operation, int] = field(default_factory=dict[ir.Operation, int])
    """For each concatenation of time steps, the dimension along which the second computation concatenates in
    reverse."""

    constants: Facts[Parameters | None] = field(default_factory=parameters)

    def reach(self, seeds: Iterable[Pair]) -> None:
        """Add these pairs, and all that follow from them."""
        todo = [*seeds]
        while todo:
            while todo:
                a, b = todo.pop()
                if self._add(a, b):
                    todo += [*self._before(a, b), *_after(a, b)]
            for a, b in self._collections():
                if self._add_collection(a, b) and a not in self.reversed_dims:
                    todo += _after(a, b)

    def of(self, a: ir.Value, b: ir.Value) -> ir.Operation | None:
        """Return the first op of the pair with these two results; None for pairs concatenated in reverse."""
        one, other = defining_op(a), defining_op(b)
        if one is None or other is None or one in self.reversed_dims:
            return None
        return one if self.first.get(other, other) == one and one != other else None

    def tensors(self, step: ir.Operation) -> Tensors | None:
        """Return the tensors whose time steps a pair uses; None for other pairs."""
        sources = step.operands[0], self.second[step].operands[0]
        return sources if is_step(step) else None

    def sense(self, a: ir.Value, b: ir.Value) -> Sense:
        """Return the direction for two tensors: the same one, if several are possible."""
        candidates = self.steps[a, b]
        return None if None in candidates else next(iter(candidates))

    def multiply_alike(self, a: ir.Operation, b: ir.Operation) -> bool:
        """Return True if both are matmuls with compile-time matrices, and equal except for their operands."""
        same = (
            a.name == b.name
            and self._is_candidate(a)
            and self._is_candidate(b)
            and definition_of(a) == definition_of(b)
        )
        return same and isinstance(definition_of(a), Matmul)

    def can_be_one(self, ops: Sequence[ir.Operation]) -> bool:
        """Return True if merging each pair into one op leaves the dependencies without a cycle."""
        needs = TopologicalSorter[ir.Operation]()
        for op in ops:
            needs.add(self.first.get(op, op), *[self.first.get(maker, maker) for maker in makers(op)])
        try:
            needs.prepare()
        except CycleError:
            return False
        return True

    def _add(self, a: ir.Operation, b: ir.Operation) -> bool:
        """Pair two ops if they are equal except for operands; return True if the pair is new."""
        if a == b or not self._are_free(a, b) or not (self._is_candidate(a) and self._is_candidate(b)):
            return False
        if is_step(a) and is_step(b):
            place = a.operands[0], b.operands[0]
            common = senses(a, b) & self.steps.get(place, senses(a, b))
            if not common:
                return False
            self.steps[place] = common
        elif definition_of(a) != definition_of(b) or not _reads_alike(a, b):
            return False
        self._pair(a, b)
        return True

    def _is_candidate(self, op: ir.Operation) -> bool:
        """Return True for a run-time op that works on interleaved tensors; a matmul needs a compile-time matrix."""
        if not op.name.startswith("ttir.") or not works_in_lanes(described := definition_of(op)):
            return False
        if isinstance(described, Matmul) and any(self.constants.about(v) is None for v in list(op.operands)[1:]):
            return False
        return self.constants.about(op.results[0]) is None

    def _are_free(self, a: ir.Operation, b: ir.Operation) -> bool:
        return not any(op in self.first or op in self.second for op in (a, b))

    def _pair(self, a: ir.Operation, b: ir.Operation) -> None:
        self.second[a], self.first[b] = b, a

    def _before(self, a: ir.Operation, b: ir.Operation) -> Iterator[Pair]:
        if not is_step(a):
            for value, other in zip(a.operands, b.operands, strict=True):
                one, another = defining_op(value), defining_op(other)
                if one is not None and another is not None:
                    yield one, another

    def _collections(self) -> Iterator[Pair]:
        """Yield pairs of concatenations of paired results, once each."""
        concats = dict.fromkeys(r for a in self.second for r in _readers(a) if r.name == "ttir.concat")
        for a in concats:
            maker = defining_op(a.operands[0])
            last = None if maker is None else self.second.get(maker)
            for b in _readers(last) if last is not None else ():
                yield a, b

    def _add_collection(self, a: ir.Operation, b: ir.Operation) -> bool:
        """Pair concatenations of pairs, in equal or reverse order; return True if their users may pair too."""
        if (
            not self._are_free(a, b)
            or not self._is_candidate(a)
            or b.name != a.name
            or definition_of(a) != definition_of(b)
        ):
            return False
        for others in (list(b.operands), list(b.operands)[::-1]):
            if all(self.of(value, other) for value, other in zip(a.operands, others, strict=True)):
                self._pair(a, b)
                if others[0] != b.operands[0]:
                    self.reversed_dims[a] = next(iter(definition_of(a).attributes().values()))
                return True
        return False


def _after(a: ir.Operation, b: ir.Operation) -> Iterator[Pair]:
    """List pairs of users of their results, if both have equally many."""
    readers = [[r for r in _readers(op) if r.name != "ttir.concat"] for op in (a, b)]
    if len(readers[0]) == len(readers[1]):
        yield from zip(*readers, strict=True)


def _readers(op: ir.Operation) -> list[ir.Operation]:
    """List the users in program order."""
    readers = dict.fromkeys(use.owner.operation for result in op.results for use in result.uses)
    return [*reversed(readers)]


def _reads_alike(a: ir.Operation, b: ir.Operation) -> bool:
    """Return True if each pair of operands is one value, or has a column for each column of the result."""
    described = definition_of(a)
    if not isinstance(described, Eltwise):
        return True
    columns, values = described.results[0].shape[-1], zip(a.operands, b.operands, strict=True)
    return all(v == w or t.shape[-1:] == (columns,) for (v, w), t in zip(values, described.operands, strict=True))
