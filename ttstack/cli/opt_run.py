"""Passes of `ttstack opt` on one module."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ttstack.debugging.value_check import check_pipeline
from ttstack.dialects.text import print_module
from ttstack.dialects.tt.system_desc import SYSTEM_DESC
from ttstack.frontends.source import import_model
from ttstack.mlir import ir
from ttstack.passes.attach_system_desc import AttachSystemDesc
from ttstack.passes.base import PassRun, Pipeline, parse_pipeline
from ttstack.passes.instrumented import Instruments
from ttstack.passes.pipelines import PIPELINES
from ttstack.passes.rewriting.apply_patterns import ApplyPatterns
from ttstack.passes.run_timed import run_timed
from ttstack.passes.weights import Weights


@dataclass(frozen=True)
class OptRun:
    """A pipeline, and how modules are read and printed."""

    build: Callable[[], Pipeline]
    """Builds the pipeline, in the context of a module."""
    instruments: Instruments
    dump_ir: Path | None = None
    hooks: Sequence[Callable[[PassRun, ir.Module], None]] = ()
    locations: bool = False
    device: bool = False
    """Print the description of a preset too."""
    own_device: bool = False
    """Remove the device again: only patterns need it."""
    unregistered: bool = False
    """Accept ops of unknown dialects."""

    def process(self, source: str, name: str = "") -> tuple[str, Mapping[str, float]]:
        """Read a file, or a text that errors call `name`; return its text after the passes, and their seconds."""
        with import_model(source, name=name, unregistered=self.unregistered) as found:
            steps = self.build()
            check_pipeline(found.module, steps, Weights.of(found.weights), self.instruments)
            seconds = run_timed(
                steps, found.module, hooks=self.hooks, dump_ir=self.dump_ir, instruments=self.instruments
            )
            if self.own_device:
                del found.module.operation.attributes[SYSTEM_DESC]
            return print_module(found.module, locations=self.locations, device=self.device), seconds


def build_pipeline(
    text: str, patterns: Sequence[Path], system_desc: str | None, ttnn: str | None, *, verify: bool
) -> Pipeline:
    """Return the device, the user's patterns, and the passes of a text, in this order."""
    device = [] if system_desc is None else [AttachSystemDesc(system_desc=system_desc, ttnn=ttnn or "")]
    own = [ApplyPatterns(file=path, verify=verify) for path in patterns]
    return Pipeline((*device, *own, *parse_pipeline(text, PIPELINES).passes))
