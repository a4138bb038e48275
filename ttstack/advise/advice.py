"""Tried changes, ordered by their effect on values."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ttstack.advise.changes import OptionChange, changes
from ttstack.advise.measure import ValueChange, ValueMeasurement
from ttstack.compiled_program import Program
from ttstack.diagnostics import TTStackError
from ttstack.options.model import CompileOptions

if TYPE_CHECKING:
    from ttstack.report.report import Report

MEASURE_SECONDS = 60.0
"""Default maximum seconds of all runs for values."""


@dataclass(frozen=True)
class Advice:
    """A tried change, and its result."""

    change: OptionChange
    total_ns: float
    """Time of one pass of the unchanged program; half of a pass with a doubled batch."""
    gain_ns: float
    """Predicted saving in time; negative if slower."""
    expected_error: float | None
    """Expected error as a share of the new total; None if that of an op is unknown."""
    refused: str = ""
    """The reason why it could not be tried; its times are then the program's."""
    values: ValueChange | None = None
    """Measured values; None if unchanged, or if `not_measured` has a reason."""
    not_measured: str = ""

    @property
    def order(self) -> tuple[object, ...]:
        """A key that sorts the least change of values first, then the largest gain; refused changes come last."""
        kind = 0 if not self.change.changes_values else 1 if self.values else 2
        return (bool(self.refused), kind, self.values.order if self.values else (0.0, 0.0), -self.gain_ns)


@dataclass
class Advisor:
    """Tries changes of a program one at a time, so that a caller gets results as they come."""

    program: Program
    """The recompiled, unchanged model."""
    source: Any
    before: "Report"
    changes: list[OptionChange]
    measurement: ValueMeasurement | None
    """None if no values are measured."""
    values: ValueChange | str = ""
    """Values of the unchanged program compared with exact ones, or the reason why they were not measured."""
    tried: list[Advice] = field(default_factory=list[Advice])

    @staticmethod
    def of(
        program: Program,
        source: Any,
        function: str | None = None,
        *,
        ops: int = 3,
        measure_seconds: float = MEASURE_SECONDS,
        progress: Callable[[str], None] | None = None,
    ) -> "Advisor":
        """Recompile the model unchanged, and list the changes; arguments and errors are those of `advise`."""
        options = CompileOptions.of_program(program.binary)
        if progress:
            progress("as it is")
        program = program.recompile(source)
        before = program.cost(function)
        placed = program.function(function)
        measurement = ValueMeasurement(program, placed.name, measure_seconds) if measure_seconds > 0 else None
        values = measurement.of(program) if measurement else ""
        return Advisor(program, source, before, changes(program, placed, before, options, ops), measurement, values)

    def advices(self) -> Iterator[Advice]:
        """Try each change; `tried` collects them."""
        for change in self.changes[len(self.tried) :]:
            self.tried.append(self._try(change))
            yield self.tried[-1]

    @property
    def ordered(self) -> list[Advice]:
        """The tried changes, the smallest change of values first."""
        return sorted(self.tried, key=lambda advice: advice.order)

    def _try(self, change: OptionChange) -> Advice:
        before = self.before
        try:
            program = self.program.recompile(self.source, change.inputs, **change.updates)
            again = program.cost(before.function)
        except TTStackError as error:
            return Advice(change, before.total_ns, 0.0, before.expected_error, error.diagnostic.message)
        total = again.total_ns / change.passes
        measured = self.measurement.of(program) if self.measurement and change.changes_values else ""
        values, why = (None, measured) if isinstance(measured, str) else (measured, "")
        return Advice(change, total, before.total_ns - total, again.expected_error, "", values, why)


def advise(
    program: Program,
    source: Any,
    function: str | None = None,
    *,
    ops: int = 3,
    measure_seconds: float = MEASURE_SECONDS,
    progress: Callable[[str], None] | None = None,
) -> "tuple[Report, list[Advice]]":
    """Return the report of the recompiled, unchanged model, and all changes, the smallest change of values first.

    The changes are other formats of all tensors or of weights, precisions, fast forms of functions, the optimal
    placement, `bfp8_b` inputs and outputs, a doubled batch, and for the `ops` longest ops the best alternative
    placement and a lower fidelity. If formats or fidelities change, the new program runs on random inputs as with
    `run(numerics="device")`, and its outputs are compared with exact ones.

    Args:
        program: The program.
        source: Its model, as for `compile`.
        function: The name of the function, if there are several.
        ops: Number of single ops to change.
        measure_seconds: Maximum seconds of all runs; later changes are not measured. 0: no runs.
        progress: Called with each change before it is tried.

    Raises:
        TTStackError: the source is not a model, or the program was saved before programs contained options.
    """
    advisor = Advisor.of(program, source, function, ops=ops, measure_seconds=measure_seconds, progress=progress)
    for number, _ in enumerate(advisor.advices(), 1):
        if progress and number < len(advisor.changes):
            progress(advisor.changes[number].what)
    return advisor.before, advisor.ordered
