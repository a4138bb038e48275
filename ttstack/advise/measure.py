"""The effect of formats on a program's values, measured on random inputs."""

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ttstack.compiled_program import Program
from ttstack.diagnostics import TTStackError

Array = np.ndarray[Any, Any]

NO_VALUES = "the model has no weights"
TOO_LONG = "the time for measurements is over"


@dataclass(frozen=True)
class ValueChange:
    """The outputs of a program in the device's formats, compared with exact ones."""

    pcc: float
    """Pearson's correlation coefficient of the output with the lowest one."""
    relative: float
    """The largest difference relative to the largest value of an output, over all outputs."""

    @property
    def order(self) -> tuple[float, float]:
        """A key that sorts the least change first."""
        return (round(1 - self.pcc, 6), self.relative)


class _TooLongError(Exception):
    """A run exceeded the time limit."""


@dataclass
class ValueMeasurement:
    """Runs on random inputs, within a time limit."""

    program: Program
    """The unchanged program, which also computes the exact values."""
    function: str
    seconds: float
    """Maximum seconds of all runs."""
    _inputs: Mapping[str, Array] = field(default_factory=dict[str, Array])
    _expected: Mapping[str, Array] | None = None

    def of(self, program: Program) -> ValueChange | str:
        """Measure a program of the same model, or return why it was not measured."""
        from ttstack_runtime.inputs import random_inputs
        from ttstack_runtime.numerics import difference

        if any(weight.data is None for weight in self.program.binary.weights.values()):
            return NO_VALUES
        start = time.monotonic()
        try:
            if self._expected is None:
                self._inputs = random_inputs(self.program.function(self.function), 0)
                self._expected = self._run(self.program, "ieee")
            values = self._run(program, "device")
        except _TooLongError:
            return TOO_LONG
        except TTStackError as error:
            return error.diagnostic.message
        finally:
            self.seconds -= time.monotonic() - start
        found = [difference(values[name], expected) for name, expected in self._expected.items() if expected.size]
        return ValueChange(min((d.pcc for d in found), default=1.0), max((d.relative for d in found), default=0.0))

    def _run(self, program: Program, numerics: Any) -> Mapping[str, Array]:
        end = time.monotonic() + self.seconds

        def stop(done: int, total: int, name: str) -> None:  # noqa: ARG001  (what `run` calls)
            if time.monotonic() > end:
                raise _TooLongError

        if self.seconds <= 0:
            raise _TooLongError
        return program.run(self._inputs, numerics=numerics, function=self.function, progress=stop).outputs
