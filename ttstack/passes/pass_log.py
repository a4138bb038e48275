"""What became of each pass of a compilation: seconds, and its rewrites."""

from collections.abc import Mapping
from dataclasses import dataclass

from ttstack.mlir import ir
from ttstack.passes.base import PassRun
from ttstack.passes.outcomes import APPLIED


@dataclass(frozen=True)
class PassSummary:
    """A pass that has run."""

    name: str
    stage: str | None
    """The stage of the pipeline; null of a pass that is in none."""
    seconds: float
    applied: int
    """Rewrites that it applied."""
    declined: Mapping[str, int]
    """Rewrites that matched and were not applied, by the reason."""

    @staticmethod
    def of(run: PassRun) -> "PassSummary":
        """Summarize one run."""
        return PassSummary(
            name=run.step.title,
            stage=run.stage.title if run.stage else None,
            seconds=run.seconds,
            applied=run.outcomes[APPLIED],
            declined={reason: count for reason, count in run.outcomes.items() if reason != APPLIED},
        )


class PassLog:
    """A hook that summarizes each pass."""

    def __init__(self) -> None:
        self.passes: list[PassSummary] = []

    def __call__(self, step: PassRun, _module: ir.Module) -> None:
        """Called after each pass."""
        self.passes.append(PassSummary.of(step))
