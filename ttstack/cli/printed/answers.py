"""What `run`, `explain` and `advise` print as JSON."""

from typing import Any, NotRequired

from typing_extensions import TypedDict

from ttstack.report.printed import ReportJson


class ValuesJson(TypedDict):
    """An output or updated value; figures are null where no value is finite."""

    shape: list[int]
    dtype: str
    min: float | None
    max: float | None
    mean: float | None
    not_finite: int
    """How many values are not finite, which the others leave out."""


class RunJson(TypedDict):
    """What an execution gave."""

    steps: NotRequired[list[dict[str, float]]]
    """With `--steps`: the number of each, `step`, and its outputs that are single numbers."""
    outputs: NotRequired[dict[str, ValuesJson]]
    """By name, of the last step; not with `--cost-only`."""
    updated: NotRequired[dict[str, ValuesJson]]
    """Inputs and parameters that the program writes to."""
    report: ReportJson


class AlternativeJson(TypedDict):
    """One placement of an op, while all others stay as they are."""

    chosen: bool
    """Whether the program has it."""
    name: str | None
    """What such a placement is called; null of most."""
    more_ns: float
    """What the whole function takes more than with the placement that the program has."""
    anew_ns: float | None
    """The same with all other ops placed anew around it, with `--resolve`."""
    elapsed_ns: float
    """The time of the op itself."""
    doubt_ns: float
    """What placement adds because that may be wrong."""
    changes_ns: float
    """The time of changes of layout before and after it."""
    grid: str
    config: dict[str, int | str]
    operands: list[str]
    """Layouts."""
    results: list[str]
    """Layouts."""
    why: str
    """What decided for or against it."""


class AdviceJson(TypedDict):
    """A change that was tried."""

    change: str
    option: str | None
    """What `compile` takes for it; null where `overrides` say it."""
    overrides: dict[str, Any] | None
    """What `--overrides` takes for it."""
    passes: int
    """How many passes of the program as it is one pass stands for: 2 for a batch of twice the size."""
    changes_values: bool
    gain_ns: float
    """Below 0 where it is slower."""
    total_ns: float
    expected_error: float
    """Share of the new total within which it is expected."""
    refused: str | None
    """Why it could not be tried."""
