"""Runs a pipeline with times, dumps, progress and diagnostic output."""

import logging
import time
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from pathlib import Path

from ttstack.diagnostics import PassOptionError
from ttstack.mlir import ir
from ttstack.passes.base import Hook, PassRun, Pipeline
from ttstack.passes.dump import dump_hook
from ttstack.passes.instrumented import Instruments
from ttstack.passes.outcomes import APPLIED
from ttstack.passes.rewrite_log import log_rewrites
from ttstack.support import logs

_LOG = logs.channel("passes")


def run_timed(
    pipeline: Pipeline,
    module: ir.Module,
    *,
    hooks: Sequence[Hook] = (),
    dump_ir: Path | None = None,
    progress: Callable[[str], None] | None = None,
    instruments: Instruments | None = None,
) -> dict[str, float]:
    """Run passes in place; return seconds by pass title, or of all as `passes` if MLIR's manager runs them.

    Raises:
        PassOptionError: instruments do not fit the pipeline, or cannot be combined with hooks and dumps.
    """
    told = instruments or Instruments()
    if told.by_mlir:
        if hooks or dump_ir or told.rewrites:
            raise PassOptionError(
                "--mlir-timing cannot be combined with --dump-ir, --effects, --timings, or options for rewrites",
                hint="leave them out, or leave out --mlir-timing",
            )
        start = time.perf_counter()
        told.run(pipeline, module)
        return {"passes": time.perf_counter() - start}
    seconds: dict[str, float] = {}

    def timed(step: PassRun, _: ir.Module) -> None:
        seconds[step.step.title] = seconds.get(step.step.title, 0.0) + step.seconds
        if _LOG.isEnabledFor(logging.INFO):
            _log_pass(step)

    dumps = [dump_hook(dump_ir, module, told.printing, diff=told.diff)] if dump_ir else []
    with log_rewrites(told.rewrites) if told.rewrites else nullcontext():
        pipeline.run(module, after=[timed, *dumps, told.hook(pipeline), *hooks], before=progress)
    return seconds


def _log_pass(step: PassRun) -> None:
    """Log the time of a pass and its rewrites; at level `debug`, also the reasons of declined ones."""
    declined = {reason: count for reason, count in step.outcomes.items() if reason != APPLIED}
    rewrites = f", {step.outcomes[APPLIED]} rewrites" if step.outcomes[APPLIED] else ""
    others = f", {sum(declined.values())} declined" if declined else ""
    _LOG.info("%s %.1f ms%s%s", step.step, 1000 * step.seconds, rewrites, others)
    for reason, count in declined.items():
        _LOG.debug("%s declined %d: %s", step.step.title, count, reason)
