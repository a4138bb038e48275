"""What a program keeps of what was asked of it, so that it is worked out once."""

from functools import cached_property
from typing import TYPE_CHECKING

from ttstack.engines import Natives

if TYPE_CHECKING:
    from ttstack.report.report import Report


class KeptAnswers:
    """The part of a program that is of this process alone: a copy, or another process, begins without it."""

    def __getstate__(self) -> dict[str, object]:
        """All but what is kept: code that was loaded is here only, and the rest is quick to work out."""
        kept = ("_natives", "_reports")
        return {name: value for name, value in self.__dict__.items() if name not in kept}

    @cached_property
    def _natives(self) -> Natives:
        """Functions that were compiled for the processor."""
        return {}

    @cached_property
    def _reports(self) -> "dict[str, Report]":
        """Predictions by function."""
        return {}
