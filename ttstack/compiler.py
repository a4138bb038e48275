"""From a module to a program: passes, then records."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from ttstack.emit import emit
from ttstack.frontends.text import print_module
from ttstack.mlir import ir
from ttstack.options import CompileOptions
from ttstack.passes.base import Hook, PassRun
from ttstack.passes.check_supported import check_supported
from ttstack.passes.dump import dump_hook
from ttstack.passes.pipelines import ttir_to_ttnn
from ttstack.passes.weights import Weights
from ttstack.program.records import Binary
from ttstack.version import VERSION

Progress = Callable[[str, float], None]
"""Called with the name of each phase and its seconds when it has ended."""


@dataclass(frozen=True)
class Compiled:
    """A program and how long each phase of its compilation took, in seconds."""

    binary: Binary
    phases: Mapping[str, float] = field(default_factory=dict[str, float])


def compile_module(
    module: ir.Module,
    options: CompileOptions,
    *,
    weights: Mapping[str, np.ndarray[Any, Any]],
    dump_ir: Path | None = None,
    keep_ir: bool = False,
    progress: Progress | None = None,
) -> Compiled:
    """Run the pipeline on a TTIR module of the current context, in place, and read the program off it.

    `dump_ir` is a folder for the module's text after each pass that changed it; `keep_ir` puts the text of its IR
    stages into the program.
    """
    check_supported(module)
    phases: dict[str, float] = {}
    stages = {"ttir": print_module(module)} if keep_ir else {}

    def timed(step: PassRun, _: ir.Module) -> None:
        phases[step.step.title] = phases.get(step.step.title, 0.0) + step.seconds
        if progress:
            progress(step.step.title, step.seconds)

    values = Weights.of(weights)
    pipeline = ttir_to_ttnn(options).with_weights(values)
    hooks: list[Hook] = [timed]
    if dump_ir:
        hooks.append(dump_hook(dump_ir, module))
    pipeline.run(module, after=hooks)
    start = time.perf_counter()
    binary = emit(module, weights=values.arrays, pipeline=str(pipeline), options=options.to_json(), version=VERSION)
    if keep_ir:
        binary = replace(binary, stages=stages | {"ttnn": print_module(module)})
    phases["emit"] = time.perf_counter() - start
    return Compiled(binary, phases)
