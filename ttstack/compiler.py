"""From a module to a program: passes, then records."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from ttstack.dialects.base import definition
from ttstack.emit import emit
from ttstack.frontends.text import print_module
from ttstack.mlir import ir
from ttstack.options import CompileOptions
from ttstack.passes.base import Hook, PassRun, Pipeline
from ttstack.passes.check_supported import check_supported
from ttstack.passes.dump import dump_hook
from ttstack.passes.effects import PassEffect, PassEffects
from ttstack.passes.functions import body, functions
from ttstack.passes.pipelines import ttir_to_ttnn
from ttstack.passes.reproducer import write_reproducer
from ttstack.passes.weights import Weights
from ttstack.program.records import Binary
from ttstack.version import VERSION

Progress = Callable[[str], None]
"""Called with the name of each phase when it begins."""


@dataclass(frozen=True)
class Compiled:
    """A program and how long each phase of its compilation took, in seconds."""

    binary: Binary
    phases: Mapping[str, float] = field(default_factory=dict[str, float])
    effects: Sequence[PassEffect] = ()


def compile_module(
    module: ir.Module,
    options: CompileOptions,
    *,
    weights: Mapping[str, np.ndarray[Any, Any]],
    dump_ir: Path | None = None,
    keep_ir: bool = False,
    keep_effects: bool = False,
    progress: Progress | None = None,
) -> Compiled:
    """Run the pipeline on a TTIR module of the current context, in place, and read the program off it.

    `dump_ir` is a folder for the module's text after each pass that changed it; `keep_ir` puts the text of its IR
    stages into the program. `keep_effects` notes what each pass changed.
    """
    check_supported(module)
    phases: dict[str, float] = {}
    stages = {"ttir": print_module(module)} if keep_ir else {}

    def timed(step: PassRun, _: ir.Module) -> None:
        phases[step.step.title] = phases.get(step.step.title, 0.0) + step.seconds

    values = Weights.of(weights)
    pipeline = ttir_to_ttnn(options).with_weights(values)
    effects = PassEffects()
    hooks: list[Hook] = [timed, effects] if keep_effects else [timed]
    if dump_ir:
        hooks.append(dump_hook(dump_ir, module))
    with write_reproducer(module, pipeline):
        pipeline.run(module, after=hooks, before=progress)
    if progress:
        progress("emit")
    start = time.perf_counter()
    binary = to_binary(module, values.arrays, pipeline, options)
    if keep_ir:
        binary = replace(binary, stages=stages | {"ttnn": print_module(module)})
    phases["emit"] = time.perf_counter() - start
    return Compiled(binary, phases, effects.found)


def to_binary(
    module: ir.Module, weights: Mapping[str, np.ndarray[Any, Any]], pipeline: Pipeline, options: CompileOptions
) -> Binary:
    """The program of a module that went through a pipeline, which says how it was made."""
    said = options.to_json(_plug_ins(module))
    return emit(module, weights=weights, pipeline=str(pipeline), options=said, version=VERSION)


def _plug_ins(module: ir.Module) -> dict[str, str]:
    """The modules of ops that are none of ours, by the op's name."""
    found = {definition(op) for function in functions(module) for op in body(function)}
    return {spec.mnemonic: spec.__module__ for spec in found if spec and not spec.__module__.startswith("ttstack.")}
