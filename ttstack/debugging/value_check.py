"""Execute a module after every pass that changed it, and find the first pass that changes values."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from ml_dtypes import finfo

from ttstack.debugging.samples import Sample, samples
from ttstack.debugging.search import first_true
from ttstack.debugging.snapshot import AllValues, Snapshot, all_values, with_random_weights
from ttstack.diagnostics import ExecutionError, ValueChangeError
from ttstack.mlir import ir
from ttstack.passes.base import Pass, PassRun, Pipeline, digest
from ttstack.passes.instrumented import CheckedPass, Instruments
from ttstack.passes.rewrite_log import Attempt, RewriteLog, log_rewrites
from ttstack.passes.weights import Array, Weights
from ttstack.program.records import Function
from ttstack_runtime.numerics import ValueDifference, difference

TOLERANCE = 1e-5
"""The largest difference that counts as none, over the largest value; values are computed in float64."""
_ROUNDINGS = 4
"""Roundings of parameters of 16 bits that a pass computes."""


@dataclass(frozen=True)
class OutputChange:
    """The largest difference of an output before and after a pass."""

    function: str
    sample: str
    output: str
    values: ValueDifference

    def __str__(self) -> str:
        at = ", ".join(map(str, self.values.index))
        return (
            f"output '{self.output}' differs by {self.values.relative:.2g} of its largest value on inputs "
            f"'{self.sample}': [{at}] is {self.values.value:.6g}, it was {self.values.expected:.6g}"
        )


class ValueCheck:
    """A hook that executes the module after each pass that changed it.

    With numerics `exact`, the first pass that changes values raises an error. With `device`, correlations are noted.
    """

    def __init__(
        self,
        module: ir.Module,
        weights: Weights,
        checked: list[CheckedPass],
        *,
        numerics: str = "exact",
        seed: int = 0,
    ) -> None:
        """Execute the module as it is.

        Args:
            module: The module before the first pass.
            weights: Values of all parameters, to which passes add.
            checked: Receives what was found after each pass.
            numerics: `exact` or `device`.
            seed: Of drawn inputs.

        Raises:
            ExecutionError: it cannot be executed.
        """
        self._checked = checked
        self._weights, self._numerics = weights, numerics
        self._digest, self._last = digest(module), Snapshot.of(module, weights)
        program = self._last.program()
        self._samples = {f.name: _drawn(f, numerics, seed) for f in program.functions}
        self._source = self._values = all_values(program, self._samples, numerics)

    def __call__(self, step: PassRun, module: ir.Module) -> None:
        """Check a module after a pass.

        Raises:
            ValueChangeError: the pass changed values.
        """
        now = digest(module)
        if now == self._digest:
            return
        before, self._digest, self._last = self._last, now, Snapshot.of(module, self._weights)
        try:
            values = all_values(self._last.program(), self._samples, self._numerics)
        except ExecutionError as e:
            self._checked.append(CheckedPass(step.step.title, None, None, e.diagnostic.message))
            return
        changes = list(differences(self._values, values, self._samples))
        worst = max(changes, key=lambda change: change.values.relative, default=None)
        if self._numerics == "exact" and worst and worst.values.relative > tolerance(before.weights, self._weights):
            raise self._error(step.step, before, worst)
        total = differences(self._source, values, self._samples)
        pcc = min((change.values.pcc for change in total), default=1.0)
        self._checked.append(CheckedPass(step.step.title, worst.values.relative if worst else 0.0, pcc))
        self._values = values

    def _error(self, step: Pass, before: Snapshot, worst: OutputChange) -> ValueChangeError:
        found = first_wrong_application(before, step, self._samples, self._values)
        notes = () if found is None else (f"application {found.number}: {describe(found)}",)
        return ValueChangeError(
            f"pass '{step}' changes values",
            loc=found.location if found and found.location else None,
            notes=(*notes, str(worst)),
            hint=f"`ttstack bisect` makes the smallest such module; --without {step.title} leaves the pass out"
            if step.optional
            else "`ttstack bisect` makes the smallest such module",
        )


def describe(attempt: Attempt) -> str:
    """Return the rewrite and op of an application, such as `fuse: fuse.activation of ttir.relu`."""
    return f"{attempt.name} of {attempt.op}" if attempt.op else attempt.name


def tolerance(before: Weights, after: Weights) -> float:
    """Return the largest difference that rounding explains: more if parameters of 16 bits were computed."""
    computed = [array.dtype for name, array in after.arrays.items() if name not in before.arrays]
    short = [dtype for dtype in computed if dtype.itemsize == 2 and dtype.kind in "fV"]
    return max([TOLERANCE, *(_ROUNDINGS * float(finfo(dtype).eps) for dtype in short)])


def differences(before: AllValues, after: AllValues, drawn: Mapping[str, Sequence[Sample]]) -> list[OutputChange]:
    """Return the difference of each output of each function on each sample."""
    return [
        OutputChange(function, sample.name, name, _difference(values, before[function, sample.name][name], sample))
        for function, found in drawn.items()
        for sample in found
        for name, values in after[function, sample.name].items()
        if name in before[function, sample.name]
    ]


def first_wrong_application(
    before: Snapshot, step: Pass, drawn: Mapping[str, Sequence[Sample]], expected: AllValues
) -> Attempt | None:
    """Return the first application of a pass's rewrites after which values differ; None if that is not clear."""
    _, log = before.after(step)
    if log.applied < 1:
        return None
    wrong = partial(differs_after, before, step, drawn, expected)
    return log.applications[first_true(1, log.applied, wrong) - 1]


def differs_after(
    before: Snapshot,
    step: Pass,
    drawn: Mapping[str, Sequence[Sample]],
    expected: AllValues,
    applications: int | None = None,
) -> bool:
    """Return True if values differ after a pass, or after its first applications; False if they cannot be computed."""
    after, _ = before.after(step, applications)
    try:
        values = all_values(after.program(), drawn)
    except ExecutionError:
        return False
    allowed = tolerance(before.weights, after.weights)
    return any(change.values.relative > allowed for change in differences(expected, values, drawn))


def _drawn(function: Function, numerics: str, seed: int) -> Sequence[Sample]:
    found = samples(function, seed)
    return found if numerics == "exact" else found[:1]


def _difference(values: Array, expected: Array, sample: Sample) -> ValueDifference:
    """The difference of two arrays; of a shape that changed, an infinite one."""
    if np.shape(values) != np.shape(expected):
        return ValueDifference(0.0, np.inf, np.inf, (), np.nan, np.nan)
    if not sample.finite and values.dtype.kind in "fV":
        both = np.isfinite(values.astype(np.float64)) & np.isfinite(expected.astype(np.float64))
        values, expected = np.where(both, values, 0.0), np.where(both, expected, 0.0)
    return difference(values, expected)


def check_pipeline(module: ir.Module, pipeline: Pipeline, weights: Weights, instruments: Instruments | None) -> None:
    """Run passes on a copy of a module and execute it after each, if instruments ask for it.

    Parameters without values get random ones in the copy.

    Raises:
        ValueChangeError: a pass changes values.
        ExecutionError: the module cannot be executed before the first pass.
    """
    if instruments is None or instruments.check_values is None:
        return
    copied = Snapshot.of(module, weights).module()
    known = Weights.of(with_random_weights(copied, weights.arrays))
    check = ValueCheck(copied, known, instruments.checked, numerics=instruments.check_values)
    stop_after = instruments.rewrites.stop_after if instruments.rewrites else None
    with log_rewrites(RewriteLog(stop_after)):
        pipeline.with_weights(known).run(copied, after=[check])
