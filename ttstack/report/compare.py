"""Two reports side by side: ops matched by where in the source they come from."""

from collections import defaultdict, deque
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from ttstack.program.locations import parts
from ttstack.report.model import OpReport
from ttstack.report.report import Report

Order = Literal["order", "time", "op"]
"""In the order of execution, largest change first, or by name."""


@dataclass(frozen=True)
class OpPair:
    """An op before and after; None on the side that has none."""

    before: OpReport | None
    after: OpReport | None

    @property
    def op(self) -> OpReport:
        """The one that is there, the earlier of two."""
        found = self.before or self.after
        assert found is not None
        return found

    @property
    def before_ns(self) -> float:
        """Kernel and gap before."""
        return self.before.elapsed_ns if self.before else 0.0

    @property
    def after_ns(self) -> float:
        """Kernel and gap after."""
        return self.after.elapsed_ns if self.after else 0.0

    @property
    def delta_ns(self) -> float:
        """What the op takes more than before."""
        return self.after_ns - self.before_ns


@dataclass(frozen=True)
class Comparison:
    """Two functions, or one on two devices, op by op."""

    before: Report
    after: Report
    pairs: tuple[OpPair, ...]
    notes: tuple[str, ...] = ()
    """What is to be known of the second: that its program does not fit its device, say."""

    def sort_pairs(self, by: Order = "order") -> list[OpPair]:
        """The pairs sorted; ties stay in the order of execution."""
        match by:
            case "time":
                return sorted(self.pairs, key=lambda pair: -abs(pair.delta_ns))
            case "op":
                return sorted(self.pairs, key=lambda pair: pair.op.name)
            case "order":
                return list(self.pairs)

    def to_dict(self) -> dict[str, Any]:
        """Everything as values that JSON has; times in nanoseconds."""
        return {
            "before": _summary(self.before),
            "after": _summary(self.after),
            "delta_ns": self.after.total_ns - self.before.total_ns,
            "notes": list(self.notes),
            "ops": [_pair(pair) for pair in self.pairs],
        }


def compare(before: Report, after: Report, notes: tuple[str, ...] = ()) -> Comparison:
    """Ops of one name from one place are a pair, in order; others stand alone, after the op that they follow.

    A place is one with another as far as both go from the end: the same file in another folder is the same place,
    unless there is a file that has more folders in common.
    """
    return Comparison(before, after, tuple(_pairs(before.ops, after.ops)), notes)


def _pairs(before: tuple[OpReport, ...], after: tuple[OpReport, ...]) -> Iterator[OpPair]:
    partners = _partners(before, after)
    matched = {op.index for op in partners.values()}
    rest = [op for op in after if op.index not in matched]
    for op in before:
        last = partners.get(op.index)
        yield OpPair(op, last)
        while rest and last is not None and rest[0].index == last.index + 1:
            last = rest.pop(0)
            yield OpPair(None, last)
    yield from (OpPair(None, op) for op in rest)


def _partners(before: tuple[OpReport, ...], after: tuple[OpReport, ...]) -> dict[int, OpReport]:
    """By number, what each op is afterwards: of the same name and place, first by whole paths, then without folders."""
    found: dict[int, OpReport] = {}
    taken: set[int] = set()
    for folders in range(max((_depth(op) for op in (*before, *after)), default=0), 0, -1):
        waiting: defaultdict[tuple[object, ...], deque[OpReport]] = defaultdict(deque)
        for op in after:
            if op.index not in taken:
                waiting[_place(op, folders)].append(op)
        for op in before:
            if op.index not in found and (same := waiting[_place(op, folders)]):
                found[op.index] = same.popleft()
                taken.add(found[op.index].index)
    return found


def _depth(op: OpReport) -> int:
    return parts(op.location)[1].count("/") + 1


def _place(op: OpReport, folders: int) -> tuple[object, ...]:
    """What it is, and where: the end of its path."""
    name, place = parts(op.location)
    return op.name, name, *place.split("/")[-folders:]


def _summary(report: Report) -> dict[str, Any]:
    return {
        "function": report.function,
        "system": report.system,
        "total_ns": report.total_ns,
        "kernel_ns": report.kernel_ns,
        "gap_ns": report.gap_ns,
    }


def _pair(pair: OpPair) -> dict[str, Any]:
    return {
        "name": pair.op.name,
        "location": pair.op.location,
        "before_index": pair.before.index if pair.before else None,
        "after_index": pair.after.index if pair.after else None,
        "before_elapsed_ns": pair.before_ns if pair.before else None,
        "after_elapsed_ns": pair.after_ns if pair.after else None,
        "delta_ns": pair.delta_ns,
        "before_bound": pair.before.bound if pair.before else None,
        "after_bound": pair.after.bound if pair.after else None,
        "before_terms": dict(pair.before.terms) if pair.before else None,
        "after_terms": dict(pair.after.terms) if pair.after else None,
    }
