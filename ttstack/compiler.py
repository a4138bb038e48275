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
from ttstack.ops.types import DType
from ttstack.passes.base import Hook, Step
from ttstack.passes.dump import dump_hook
from ttstack.passes.pipelines import ttir_to_ttnn
from ttstack.passes.supported import check_supported
from ttstack.passes.weights import Weights
from ttstack.placement.overrides import Overrides
from ttstack.program.records import Binary
from ttstack.system_desc import SystemDesc
from ttstack.version import VERSION

Progress = Callable[[str, float], None]
"""Called with the name of each phase and its seconds when it has ended."""


@dataclass(frozen=True)
class Options:
    """What a compilation depends on, beside the module."""

    system_desc: str | SystemDesc = "wormhole"
    placement: str = "greedy"
    dtype: DType | None = None
    tensor_train: str = ""
    """Which embedding tables get Tensor-Train form: `rel_error=0.05`, or the path of a YAML file; none where empty."""
    weights_dtype: DType | None = None
    placement_budget: float | None = None
    placement_nodes: int | None = None
    overrides: Overrides | None = None
    dump_ir: Path | None = None
    """A folder for the module's text after each pass that changed it."""
    keep_ir: bool = False
    """Whether the program carries the text of its IR stages."""
    progress: Progress | None = None


@dataclass(frozen=True)
class Compiled:
    """A program and how long each phase of its compilation took, in seconds."""

    binary: Binary
    phases: Mapping[str, float] = field(default_factory=dict[str, float])


def compile_module(module: ir.Module, options: Options, *, weights: Mapping[str, np.ndarray[Any, Any]]) -> Compiled:
    """Run the pipeline on a TTIR module of the current context, in place, and read the program off it."""
    check_supported(module)
    phases: dict[str, float] = {}
    stages = {"ttir": print_module(module)} if options.keep_ir else {}

    def timed(step: Step, _: ir.Module) -> None:
        phases[step.step.title] = phases.get(step.step.title, 0.0) + step.seconds
        if options.progress:
            options.progress(step.step.title, step.seconds)

    values = Weights.of(weights)
    pipeline = ttir_to_ttnn(
        options.system_desc,
        placement=options.placement,
        dtype=options.dtype,
        weights_dtype=options.weights_dtype,
        placement_budget=options.placement_budget,
        placement_nodes=options.placement_nodes,
        overrides=options.overrides,
        tensor_train=options.tensor_train,
    ).given(values)
    hooks: list[Hook] = [timed]
    if options.dump_ir:
        hooks.append(dump_hook(options.dump_ir, module))
    pipeline.run(module, after=hooks)
    start = time.perf_counter()
    binary = emit(module, weights=values.arrays, pipeline=str(pipeline), version=VERSION)
    if options.keep_ir:
        binary = replace(binary, stages=stages | {"ttnn": print_module(module)})
    phases["emit"] = time.perf_counter() - start
    return Compiled(binary, phases)
