"""Two reports and the pairs of their ops, independent of the output format."""

from dataclasses import dataclass
from typing import Any

from ttstack.report.model import OpReport, Order, ReportFigures


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
        """Increase of the op's time."""
        return self.after_ns - self.before_ns


@dataclass(frozen=True)
class ComparisonFigures:
    """Two functions, or one on two devices, op by op."""

    before: ReportFigures
    after: ReportFigures
    pairs: tuple[OpPair, ...]
    notes: tuple[str, ...] = ()
    """Notes on the second program, such as that it does not fit its device."""

    def sort_pairs(self, by: Order = "order") -> list[OpPair]:
        """Return the pairs sorted; ties stay in the order of execution."""
        match by:
            case "time":
                return sorted(self.pairs, key=lambda pair: -abs(pair.delta_ns))
            case "op":
                return sorted(self.pairs, key=lambda pair: pair.op.name)
            case "order":
                return list(self.pairs)


def pair_row(pair: OpPair) -> dict[str, Any]:
    """Return a pair as JSON has it; times in nanoseconds."""
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
