"""What tells of passes while they run: the module after some of them, and MLIR's own printing and times of all."""

import sys
from dataclasses import dataclass
from functools import partial
from typing import Protocol

from ttstack.diagnostics import PassOptionError
from ttstack.dialects.context import as_diagnostics
from ttstack.dialects.equal_ops import shared_answers
from ttstack.dialects.text import print_module
from ttstack.mlir import PassManager, ir
from ttstack.passes.base import Builtin, Hook, Pass, PassRun, Pipeline
from ttstack.support.suggestion import did_you_mean

_ALL, _CHANGED = "all", "changed"
_LARGE = 16
"""Elements of a constant above which it is printed short."""


@dataclass(frozen=True)
class Instruments:
    """What is told of a pipeline, on standard error; by MLIR's own pass manager where it is about all passes."""

    print_after: str = ""
    """Names of passes after which the module is printed, `fuse,place`; MLIR prints it after `all`, or `changed`."""
    timing: bool = False
    """MLIR's report of times, with analyses."""

    @property
    def by_mlir(self) -> bool:
        """Whether MLIR's manager runs the passes, which calls no hooks."""
        return self.timing or self.print_after in (_ALL, _CHANGED)

    def hook(self, pipeline: Pipeline) -> Hook:
        """A hook that prints the module after passes of these names, under a line as MLIR has it.

        Raises:
            PassOptionError: the pipeline has no pass of a name.
        """
        names, known = list(filter(None, self.print_after.split(","))), [step.title for step in pipeline.passes]
        if wrong := [name for name in names if name not in known]:
            hint = did_you_mean(wrong[0], known) or f"it has {', '.join(dict.fromkeys(known)) or 'none'}"
            raise PassOptionError(f"--print-after: no pass of the pipeline is called '{wrong[0]}'", hint=hint)

        def show(step: PassRun, module: ir.Module) -> None:
            if step.step.title in names:
                sys.stderr.write(f"// -----// IR Dump After {step.step} //----- //\n{print_module(module)}\n")

        return show

    def run(self, pipeline: Pipeline, module: ir.Module) -> None:
        """Run all passes in one manager of MLIR, which reports to the process's standard error and verifies after each.

        Raises:
            PassOptionError: passes are named too, which that manager does not know.
            InvalidIRError: MLIR refused a pass's work; what our passes raise passes unchanged.
        """
        if self.print_after not in ("", _ALL, _CHANGED):
            raise PassOptionError(
                "--mlir-timing goes without --print-after of passes by name", hint="print after `all`, or `changed`"
            )
        manager, raised = PassManager("builtin.module"), list[Exception]()
        for step in pipeline.passes:
            if isinstance(step, Builtin):
                manager.add(step.pipeline)
            else:
                manager.add(partial(_run, step, module, raised), name=step.title, argument=step.title)
        if self.timing:
            manager.enable_timing()
        if self.print_after:
            manager.enable_ir_printing(
                print_after_all=True, print_after_change=self.print_after == _CHANGED, large_elements_limit=_LARGE
            )
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
