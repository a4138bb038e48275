"""Run a pipeline as users see it: what each pass took, its text in a folder, and how far it is."""

from collections.abc import Callable, Sequence
from pathlib import Path

from ttstack.mlir import ir
from ttstack.passes.base import Hook, PassRun, Pipeline
from ttstack.passes.dump import dump_hook


def run_timed(
    pipeline: Pipeline,
    module: ir.Module,
    *,
    hooks: Sequence[Hook] = (),
    dump_ir: Path | None = None,
    progress: Callable[[str], None] | None = None,
) -> dict[str, float]:
    """Run passes in place; seconds by the title of the pass."""
    seconds: dict[str, float] = {}

    def timed(step: PassRun, _: ir.Module) -> None:
        seconds[step.step.title] = seconds.get(step.step.title, 0.0) + step.seconds

    dumps = [dump_hook(dump_ir, module)] if dump_ir else []
    pipeline.run(module, after=[timed, *hooks, *dumps], before=progress)
    return seconds
