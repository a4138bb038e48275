"""JSON output of `run`, `explain` and `advise`."""

from typing import Any, NotRequired

from typing_extensions import TypedDict

from ttstack.report.printed import ReportJson


class ValuesJson(TypedDict):
    """An output or updated value; numbers are null if no element is finite."""

    shape: list[int]
    dtype: str
    min: float | None
    max: float | None
    mean: float | None
    not_finite: int
    """Number of non-finite elements, which the other numbers exclude."""


class ValueDifferenceJson(TypedDict):
    """The difference of an array from the golden one."""

    pcc: float
    """Pearson's correlation coefficient of all elements."""
    largest: float | None
    """The largest absolute difference; null if only one side is finite."""
    relative: float | None
    """The largest difference relative to the largest golden value."""
    index: list[int]
    """The index of the largest difference."""
    value: float | None
    expected: float | None


class OpDifferenceJson(TypedDict):
    """The difference of an op's result from the exact one."""

    index: int | None
    """Number of the op in reports."""
    name: str
    location: str
    result: int
    """Number of the result among the op's results."""
    values: ValueDifferenceJson


class RunJson(TypedDict):
    """The result of an execution."""

    steps: NotRequired[list[dict[str, float]]]
    """With `--steps`: the number of each step, `step`, and its scalar outputs."""
    outputs: NotRequired[dict[str, ValuesJson]]
    """By name, for the last step; not with `--cost-only`."""
    updated: NotRequired[dict[str, ValuesJson]]
    """Inputs and parameters that the program writes to."""
    golden: NotRequired[dict[str, ValueDifferenceJson]]
    """By name, with `--golden`."""
    per_op: NotRequired[list[OpDifferenceJson]]
    """With `--per-op`."""
    report: NotRequired[ReportJson]
    """Not of a module as text."""


class AlternativeJson(TypedDict):
    """One placement of an op, with all others unchanged."""

    chosen: bool
    """Whether the program uses it."""
    name: str | None
    """The name of the placement; null for most."""
    more_ns: float
    """Additional time of the whole function, compared with the program's placement."""
    anew_ns: float | None
    """The same with all other ops placed again, with `--resolve`."""
    elapsed_ns: float
    """The time of the op."""
    doubt_ns: float
    """The uncertainty penalty of placement."""
    changes_ns: float
    """The time of layout changes before and after it."""
    grid: str
    config: dict[str, int | str]
    operands: list[str]
    """Layouts."""
    results: list[str]
    """Layouts."""
    why: str
    """The reason for or against it."""


class ValueChangeJson(TypedDict):
    """The difference of outputs from exact ones."""

    pcc: float
    """Pearson's correlation coefficient of the output with the lowest one."""
    relative: float
    """The largest difference relative to the largest value of an output."""


class AdviceJson(TypedDict):
    """A change that was tried."""

    change: str
    option: str | None
    """The option of `compile`; null if `overrides` describe the change."""
    overrides: dict[str, Any] | None
    """The content of the `--overrides` file."""
    passes: int
    """Number of passes of the unchanged program that one pass replaces: 2 for a batch of twice the size."""
    changes_values: bool
    gain_ns: float
    """Saved time; negative if slower."""
    total_ns: float
    expected_error: float | None
    """Expected error as a share of the new total; null if the error of an op is unknown."""
    values: ValueChangeJson | None
    """Outputs on random inputs compared with exact ones; null if unchanged or not measured."""
    not_measured: str | None
    """The reason why changed values were not measured."""
    refused: str | None
    """The reason why it could not be tried."""
