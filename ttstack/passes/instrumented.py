"""Print the module after passes while they run, and MLIR's own report of times."""

import sys
from dataclasses import dataclass, field
from functools import partial
from typing import Literal, Protocol

from ttstack.diagnostics import PassOptionError
from ttstack.dialects.context import as_diagnostics
from ttstack.dialects.equal_ops import shared_answers
from ttstack.mlir import PassManager, ir
from ttstack.options.choices import Numerics
from ttstack.passes.base import Builtin, Hook, Pass, PassRun, Pipeline
from ttstack.passes.printing import Printing
from ttstack.passes.rewrite_log import RewriteLog
from ttstack.support.suggestion import did_you_mean

_ALL, _CHANGED = "all", "changed"


@dataclass(frozen=True)
class CheckedPass:
    """The values of a module after a pass that changed it."""

    step: str
    relative: float | None
    """The largest difference from the module before the pass, over the largest value of that output."""
    pcc: float | None
    """The least correlation of an output with the model's; null as the difference if the module was not executed."""
    skipped: str = ""
    """Why the module was not executed."""


@dataclass(frozen=True)
class Instruments:
    """What is told of a pipeline, on standard error and in files; MLIR's own pass manager reports its times."""

    print_after: str = ""
    """Names of passes after which the module is printed, `fuse,place`; or `all`, or `changed` if it changed."""
    timing: bool = False
    """MLIR's report of times, with analyses."""
    printing: Printing = field(default_factory=Printing)
    """How modules are printed, here and in `dump_ir`."""
    diff: bool = False
    """Whether `dump_ir` writes what changed in place of whole texts."""
    rewrites: RewriteLog | None = None
    """Receives the rewrites of the compilation, and limits their number."""
    check_values: Numerics | Literal["exact"] | None = None
    """With which numerics the module is executed after each pass that changed it."""
    checked: list[CheckedPass] = field(default_factory=list[CheckedPass])
    """Receives what was found by executing the module."""

    @property
    def by_mlir(self) -> bool:
        """Whether MLIR's manager runs the passes, which calls no hooks."""
        return self.timing

    def hook(self, pipeline: Pipeline) -> Hook:
        """Return a hook that prints the module after the passes of `print_after`.

        Raises:
            PassOptionError: the pipeline has no pass of a name.
        """
        names, known = list(filter(None, self.print_after.split(","))), [step.title for step in pipeline.passes]
        if wrong := [name for name in names if name not in (*known, _ALL, _CHANGED)]:
            hint = did_you_mean(wrong[0], known) or "`ttstack opt --list` prints the names of passes"
            raise PassOptionError(f"--print-after: no pass of the pipeline is called '{wrong[0]}'", hint=hint)
        last = ""

        def show(step: PassRun, module: ir.Module) -> None:
            nonlocal last
            if step.step.title in names or _ALL in names or _CHANGED in names:
                before, last = last, self.printing.text(module, constants=False)
                if _CHANGED not in names or last != before:
                    sys.stderr.write(f"// -----// IR Dump After {step.step} //----- //\n{last}\n")

        return show

    def run(self, pipeline: Pipeline, module: ir.Module) -> None:
        """Run all passes in one manager of MLIR, which reports to the process's standard error and verifies after each.

        Raises:
            PassOptionError: the module shall be printed too, which needs hooks.
            InvalidIRError: MLIR refused a pass's work; what our passes raise passes unchanged.
        """
        if self.print_after:
            raise PassOptionError(
                "--mlir-timing cannot be combined with --print-after", hint="leave out one of the two"
            )
        manager, raised = PassManager("builtin.module"), list[Exception]()
        for step in pipeline.passes:
            if isinstance(step, Builtin):
                manager.add(step.pipeline)
            else:
                manager.add(partial(_run, step, module, raised), name=step.title, argument=step.title)
        manager.enable_timing()
        try:
            with shared_answers(), as_diagnostics(f"the pipeline '{pipeline}' failed"):
                manager.run(module.operation)
        except Exception:
            if raised:
                raise raised[0] from None
            raise


class _External(Protocol):
    """What MLIR's manager gives a pass of Python."""

    def signal_pass_failure(self) -> None: ...


def _run(step: Pass, module: ir.Module, raised: list[Exception], _op: object, external: _External) -> None:
    """The pass, as the manager calls it: an exception would end the process."""
    try:
        step.run_named(module)
    except Exception as error:
        raised.append(error)
        external.signal_pass_failure()
