"""Two reports and the pairs of their ops, whatever they are written as."""

from dataclasses import dataclass

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
        """What the op takes more than before."""
        return self.after_ns - self.before_ns


@dataclass(frozen=True)
class ComparisonFigures:
    """Two functions, or one on two devices, op by op."""

    before: ReportFigures
    after: ReportFigures
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
