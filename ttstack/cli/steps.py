"""`ttstack run --steps`: consecutive runs, each from the state of the previous one."""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import count, islice, repeat
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ttstack.diagnostics import ExecutionError, InputError
from ttstack.options.choices import Engine, Numerics

if TYPE_CHECKING:
    from ttstack.compiled_program import Program
    from ttstack.compiled_run import Run

Scalars = dict[str, float]
"""The scalar outputs of a step, such as the loss."""


@dataclass(frozen=True)
class StepResults:
    """The results of several runs."""

    last: "Run"
    scalars: list[Scalars]
    before: int
    """Number of steps before the first of these."""

    def rows(self) -> list[dict[str, Any]]:
        """Return the number of each step, from 1, and its scalars."""
        return [{"step": self.before + i, **scalars} for i, scalars in enumerate(self.scalars, 1)]


def run_steps(
    program: "Program",
    steps: int,
    inputs: Path | None,
    state: Path | None,
    seed: int,
    numerics: Numerics,
    function: str | None,
    engine: Engine,
) -> StepResults:
    """Run `steps` times; the state is read from a file if it exists, and written to it.

    After an error or an interrupt, the file has the state of the last complete step.

    Raises:
        InputError: inputs or state do not fit, or the function has no state.
        ExecutionError: as in `Program.run`, or a step returned a non-finite number.
        OutputError: the state cannot be written.
    """
    from ttstack.cli.progress import show_ops
    from ttstack_runtime.inputs import load_batches, random_inputs
    from ttstack_runtime.state import State, load_state, save_state, written_types

    found = program.function(function)
    if not written_types(program.binary, found):
        raise InputError(
            f"'{found.name}' writes to none of its inputs and parameters: all steps would be the first one",
            hint="run it without --steps; `ttstack compile --train` makes a step of training",
        )
    begun = load_state(state, program.binary, found) if state is not None and state.exists() else State()
    if inputs:
        given = islice(map(load_batches(inputs, found), count(begun.steps)), steps)
    else:
        given = repeat(random_inputs(found, seed), steps)
    scalars, last = list[Scalars](), None
    with show_ops() as show:
        progress = _of_all(steps, scalars, show) if show else None
        try:
            results = program.steps(
                given, begun.arrays, seed, numerics, function=found.name, progress=progress, engine=engine
            )
            for done in results:
                scalars.append(_finite({name: float(a) for name, a in done.outputs.items() if not a.ndim}, scalars))
                last = done
        finally:
            if last is not None and state is not None:
                save_state(state, State({**begun.arrays, **last.updated}, begun.steps + len(scalars)))
    assert last is not None
    return StepResults(last, scalars, begun.steps)


def _finite(found: Scalars, before: list[Scalars]) -> Scalars:
    """Return the scalars of a step.

    Raises:
        ExecutionError: one is not finite, so later steps are useless.
    """
    lost = [f"'{name}' is {value}" for name, value in found.items() if not isfinite(value)]
    if lost:
        told = "".join(
            f", {name} {value:.6g} in the step before" for name, value in (before[-1] if before else {}).items()
        )
        raise ExecutionError(
            f"step {len(before) + 1} of these diverged: {', '.join(lost)}{told}",
            hint="look for targets out of range and values that are not finite in --inputs, or take smaller steps",
        )
    return found


def _of_all(
    steps: int, scalars: list[Scalars], show: Callable[[int, int, str], None]
) -> Callable[[int, int, str], None]:
    """Return a callback that converts one run's progress to that of all steps, with the last scalars."""

    def progress(done: int, total: int, _: str) -> None:
        at = len(scalars)
        latest = "".join(f", {output} {value:.6g}" for output, value in (scalars[-1] if scalars else {}).items())
        show(at * total + done, steps * total, f"step {at + 1} of {steps}{latest}")

    return progress
