"""Run a pipeline as users see it: what each pass took, texts in a folder, how far it is, and what instruments tell."""

import time
from collections.abc import Callable, Sequence
from pathlib import Path

from ttstack.diagnostics import PassOptionError
from ttstack.mlir import ir
from ttstack.passes.base import Hook, PassRun, Pipeline
from ttstack.passes.dump import dump_hook
from ttstack.passes.instrumented import Instruments


def run_timed(
    pipeline: Pipeline,
    module: ir.Module,
    *,
    hooks: Sequence[Hook] = (),
    dump_ir: Path | None = None,
    progress: Callable[[str], None] | None = None,
    instruments: Instruments | None = None,
) -> dict[str, float]:
    """Run passes in place; seconds by the title of the pass, of all as `passes` where MLIR's manager runs them.

    Raises:
        PassOptionError: instruments do not fit the pipeline, or go without hooks and texts in a folder.
    """
    told = instruments or Instruments()
    if told.by_mlir:
        if hooks or dump_ir:
            raise PassOptionError(
                "what MLIR reports itself of all passes goes without --dump-ir, --effects, and --timings of each",
                hint="leave them out, or name passes: --print-after fuse,place",
            )
        start = time.perf_counter()
        told.run(pipeline, module)
        return {"passes": time.perf_counter() - start}
    seconds: dict[str, float] = {}

    def timed(step: PassRun, _: ir.Module) -> None:
        seconds[step.step.title] = seconds.get(step.step.title, 0.0) + step.seconds

    dumps = [dump_hook(dump_ir, module)] if dump_ir else []
    pipeline.run(module, after=[timed, *hooks, *dumps, told.hook(pipeline)], before=progress)
    return seconds
