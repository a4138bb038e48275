"""A pipeline under MLIR's own pass manager, whose instruments then see all passes, ours too."""

from collections.abc import Callable
from functools import partial
from typing import Literal, Protocol

from ttstack.context import as_diagnostics
from ttstack.dialects.equal_ops import shared_answers
from ttstack.frontends.text import print_module
from ttstack.mlir import PassManager, ir
from ttstack.passes.base import Builtin, Hook, Pass, PassRun, Pipeline

Printed = Literal["all", "changed"]
"""After which passes MLIR prints the module: after each, or after those that changed it."""

_LARGE = 16
"""Elements of a constant above which it is printed short."""


def run_instrumented(
    pipeline: Pipeline, module: ir.Module, *, timing: bool = False, printed: Printed | None = None
) -> None:
    """Run all passes in one manager of MLIR, which reports to the process's standard error and verifies after each.

    Raises:
        InvalidIRError: MLIR refused a pass's work; what our passes raise passes unchanged.
    """
    manager, raised = PassManager("builtin.module"), list[Exception]()
    for step in pipeline.passes:
        if isinstance(step, Builtin):
            manager.add(step.pipeline)
        else:
            manager.add(partial(_run, step, module, raised), name=step.title, argument=step.title)
    if timing:
        manager.enable_timing()
    if printed is not None:
        manager.enable_ir_printing(
            print_after_all=True, print_after_change=printed == "changed", large_elements_limit=_LARGE
        )
    try:
        with shared_answers(), as_diagnostics(f"the pipeline '{pipeline}' failed"):
            manager.run(module.operation)
    except Exception:
        if raised:
            raise raised[0] from None
        raise


def print_hook(names: frozenset[str], write: Callable[[str], object]) -> Hook:
    """A hook that writes the module after passes of these names, under a line as MLIR has it."""

    def show(step: PassRun, module: ir.Module) -> None:
        if step.step.title in names:
            write(f"// -----// IR Dump After {step.step} //----- //\n{print_module(module)}")

    return show


class _External(Protocol):
    """What MLIR's manager gives a pass of Python."""

    def signal_pass_failure(self) -> None: ...


def _run(step: Pass, module: ir.Module, raised: list[Exception], _op: object, external: _External) -> None:
    """The pass, as the manager calls it: an exception would end the process."""
    try:
        step.run(module)
    except Exception as error:
        raised.append(error)
        external.signal_pass_failure()
