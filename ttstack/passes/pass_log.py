"""A log of the passes of a compilation: seconds and rewrites."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from ttstack.mlir import ir
from ttstack.passes.base import PassRun
from ttstack.passes.outcomes import APPLIED


@dataclass(frozen=True)
class PassSummary:
    """The summary of a pass."""

    name: str
    stage: str | None
    """The stage of the pipeline; null outside of stages."""
    seconds: float
    applied: int
    """Number of rewrites that the pass applied."""
    declined: Mapping[str, int]
    """Number of rewrites that matched but were declined, by reason."""
    patterns: Mapping[str, Mapping[str, int]] = field(default_factory=dict[str, Mapping[str, int]])
    """By name of a user's pattern: how often it was `applied`, and declined by each reason."""

    @staticmethod
    def of(run: PassRun) -> "PassSummary":
        """Summarize one run."""
        return PassSummary(
            name=run.step.title,
            stage=run.stage.title if run.stage else None,
            seconds=run.seconds,
            applied=run.outcomes[APPLIED],
            declined={reason: count for reason, count in run.outcomes.items() if reason != APPLIED},
            patterns={name: dict(found) for name, found in run.outcomes.patterns.items()},
        )


class PassLog:
    """A hook that summarizes each pass."""

    def __init__(self) -> None:
        self.passes: list[PassSummary] = []

    def __call__(self, step: PassRun, _module: ir.Module) -> None:
        """Summarize a pass."""
        self.passes.append(PassSummary.of(step))
