"""Find the pass, the application of a rewrite, and a small module that it changes the values of."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from ttstack.debugging.samples import Sample, samples
from ttstack.debugging.search import first_true
from ttstack.debugging.snapshot import AllValues, Array, Snapshot, all_values, with_random_weights
from ttstack.debugging.value_check import (
    OutputChange,
    differences,
    differs_after,
    first_wrong_application,
    tolerance,
)
from ttstack.diagnostics import ExecutionError, TTStackError
from ttstack.dialects.text import print_module
from ttstack.mlir import ir
from ttstack.passes.base import Pass, PassRun, Pipeline, digest
from ttstack.passes.rewrite_log import Attempt, RewriteLog, log_rewrites
from ttstack.passes.weights import Weights

Against = Literal["none", "pass"] | Mapping[str, Array]
"""What values are compared with: those of the model, those before each pass, or outputs by name."""
OnStep = Callable[[str], object]
"""Called with what is done next."""


@dataclass(frozen=True)
class Culprit:
    """The first pass and application that change values."""

    step: Pass
    attempt: Attempt | None
    """The application; None of a pass that is not made of rewrites."""
    number: int | None
    """Its number among all applications of the compilation: `--stop-after` one less leaves it out."""
    applications: int
    """Applications of the whole compilation."""
    change: OutputChange
    before: Snapshot
    """The module before the pass."""

    def module(self) -> str:
        """Return the text of the module just before the application."""
        within = self.attempt.number if self.attempt else None
        snapshot = self.before.after(self.step, within - 1)[0] if within and within > 1 else self.before
        return print_module(snapshot.module(), locations=True)


@dataclass
class _States:
    """A hook that keeps the module after each pass that changed it."""

    weights: Weights
    snapshots: list[Snapshot]
    log: RewriteLog
    steps: list[Pass | None] = field(default_factory=list[Pass | None])
    applied: list[int] = field(default_factory=list[int])
    """Applications until each snapshot."""
    _digest: bytes = b""

    def __call__(self, step: PassRun, module: ir.Module) -> None:
        if (now := digest(module)) != self._digest:
            self._digest = now
            self.snapshots.append(Snapshot.of(module, self.weights))
            self.steps.append(step.step)
            self.applied.append(self.log.applied)


def bisect_values(
    module: ir.Module,
    pipeline: Pipeline,
    weights: Mapping[str, Array],
    *,
    against: Against = "none",
    atol: float | None = None,
    inputs: Mapping[str, Array] | None = None,
    seed: int = 0,
    on_step: OnStep = lambda _: None,
) -> Culprit | None:
    """Run a pipeline and find the first pass that changes values, and the first application of its rewrites.

    Args:
        module: The model; it is changed.
        pipeline: The passes.
        weights: Values of all parameters.
        against: `none` compares with the model's values, `pass` each pass with the one before it; outputs by name are
            expected values of the run on `inputs`.
        atol: The largest absolute difference that counts as none; a share of the largest value if None.
        inputs: Inputs of the run in place of drawn ones.
        seed: Of drawn inputs.
        on_step: Called with what is done next.

    Returns:
        None if no pass changes values.

    Raises:
        TTStackError: a pass fails, or the model cannot be executed.
    """
    held, log = Weights.of(weights), RewriteLog()
    states = _States(held, [Snapshot.of(module, held)], log, [None], [0], digest(module))
    on_step("run all passes")
    with log_rewrites(log):
        pipeline.with_weights(held).run(module, after=[states])
    search = _StateSearch(states, _sampled(states.snapshots[0], inputs, seed), against, atol, on_step)
    return search.culprit()


def _sampled(first: Snapshot, inputs: Mapping[str, Array] | None, seed: int) -> Mapping[str, Sequence[Sample]]:
    functions = first.program().functions
    if inputs is not None:
        return {f.name: [Sample("given", inputs)] for f in functions[:1]}
    return {f.name: samples(f, seed) for f in functions}


class _StateSearch:
    def __init__(
        self,
        states: _States,
        drawn: Mapping[str, Sequence[Sample]],
        against: Against,
        atol: float | None,
        on_step: OnStep,
    ) -> None:
        self._states, self._drawn, self._atol, self._on_step = states, drawn, atol, on_step
        self._computed: dict[int, AllValues | None] = {}
        self._against = against
        model = self._values(0)
        assert model is not None
        self._expected = model
        if not isinstance(against, str):
            self._expected = {key: {**values, **against} for key, values in model.items()}

    def culprit(self) -> Culprit | None:
        last = len(self._states.snapshots) - 1
        if self._against == "pass":
            found = next((i for i in range(1, last + 1) if self._changes(i, self._values(i - 1))), None)
        else:
            found = self._first_different(last)
        if found is None:
            return None
        step, before = self._states.steps[found], self._states.snapshots[found - 1]
        assert step is not None
        expected = self._values(found - 1) or self._expected
        self._on_step(f"find the application in pass '{step.title}'")
        attempt = first_wrong_application(before, step, self._drawn, expected)
        number = attempt.number + self._states.applied[found - 1] if attempt and attempt.number else None
        changes = self._changes(found, expected) or self._changes(found, self._expected)
        worst = max(changes, key=lambda change: change.values.relative)
        return Culprit(step, attempt, number, self._states.log.applied, worst, before)

    def _first_different(self, last: int) -> int | None:
        if not self._changes(last, self._expected):
            return None
        if not isinstance(self._against, str) and self._changes(0, self._expected):
            raise ExecutionError(
                "the values of the model itself differ from those that are given",
                hint="give the inputs of that run with --inputs, and the outputs of this model",
            )
        return first_true(1, last, lambda i: bool(self._changes(i, self._expected)))

    def _values(self, index: int) -> AllValues | None:
        """The values after a pass; None if they cannot be computed."""
        if index not in self._computed:
            self._on_step(f"compute values after {self._title(index)}")
            try:
                self._computed[index] = all_values(self._states.snapshots[index].program(), self._drawn)
            except ExecutionError:
                if index == 0:
                    raise
                self._computed[index] = None
        return self._computed[index]

    def _changes(self, index: int, expected: AllValues | None) -> list[OutputChange]:
        values = self._values(index)
        if values is None or expected is None:
            return []
        first, now = (self._states.snapshots[i].weights for i in (0, index))
        allowed = tolerance(first, now)
        found = differences(expected, values, self._drawn)
        if self._atol is not None:
            return [change for change in found if change.values.largest > self._atol]
        return [change for change in found if change.values.relative > allowed]

    def _title(self, index: int) -> str:
        step = self._states.steps[index]
        return f"pass '{step.title}'" if step else "no pass"


def changes_values(text: str, step: Pass, parse: Callable[[str], ir.Module]) -> bool:
    """Return True if a pass changes the values of a module as text on drawn inputs; False if it cannot be executed."""
    try:
        module = parse(text)
        before = Snapshot.of(module, Weights.of(with_random_weights(module, {})))
        drawn = _sampled(before, None, 0)
        return differs_after(before, step, drawn, all_values(before.program(), drawn))
    except (TTStackError, ValueError, AssertionError, LookupError, TypeError, AttributeError):
        return False
