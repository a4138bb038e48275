"""Compilation of a model to the records of a program: import, passes, emission."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from ttstack.debugging.value_check import check_pipeline
from ttstack.diagnostics import PassOptionError
from ttstack.dialects.base import definition
from ttstack.dialects.text import print_module
from ttstack.emit import emit
from ttstack.frontends.source import import_model
from ttstack.mlir import ir
from ttstack.options.choices import Phase
from ttstack.options.model import CompileOptions
from ttstack.passes.base import Hook, Pipeline
from ttstack.passes.check_supported import check_supported
from ttstack.passes.dump import dump_weights
from ttstack.passes.effects import PassEffect, PassEffects
from ttstack.passes.functions import FINITE, FIXED, body, functions, note_parameters
from ttstack.passes.instrumented import Instruments
from ttstack.passes.pass_log import PassLog, PassSummary
from ttstack.passes.phases import PhaseRecord, end_of
from ttstack.passes.pipelines import check_left_out, ttir_to_ttnn
from ttstack.passes.reproducer import write_reproducer
from ttstack.passes.run_timed import run_timed
from ttstack.passes.ttir.placement.place import Place
from ttstack.passes.weights import Weights
from ttstack.placement.trace import PlacementTrace
from ttstack.program.records import Binary
from ttstack.support.plugins import LOADED
from ttstack.version import VERSION

Progress = Callable[[str], None]
"""Called with the name of each phase when it begins."""


@dataclass(frozen=True)
class Compiled:
    """A program, and the seconds of each phase of its compilation."""

    binary: Binary
    phases: Mapping[str, float] = field(default_factory=dict[str, float])
    passes: Sequence[PassSummary] = ()
    effects: Sequence[PassEffect] = ()
    decisions: Mapping[str, PlacementTrace] = field(default_factory=dict[str, PlacementTrace])


@dataclass(frozen=True)
class Lowered:
    """A module as text with its progress, the values of its parameters, and seconds by pass."""

    text: str
    weights: Mapping[str, np.ndarray[Any, Any]]
    phases: Mapping[str, float]
    passes: Sequence[PassSummary] = ()


@dataclass(frozen=True)
class Start:
    """The start of a compilation: an imported model, or a module at a phase with the passes that have run."""

    phase: Phase | None = None
    passes: str = ""

    def rest(self, pipeline: Pipeline) -> Pipeline:
        """Return the passes that have not run."""
        return Pipeline(pipeline.passes[end_of(self.phase, pipeline) if self.phase else 0 :])

    def then(self, passes: Pipeline) -> str:
        """Return all passes that have run after these, as text."""
        return ",".join(filter(None, (self.passes, str(passes))))


def compile_source(
    source: object,
    inputs: object,
    options: CompileOptions,
    *,
    dump_ir: Path | None = None,
    keep_ir: bool = False,
    keep_effects: bool = False,
    keep_decisions: bool = False,
    progress: Progress | None = None,
    instruments: Instruments | None = None,
) -> Compiled:
    """Read a model and compile it; arguments are those of `ttstack.compile`."""
    check_left_out(options)
    if progress:
        progress("read")
    with import_model(source, inputs, options.function) as model:
        compiled = compile_module(
            model.module,
            options.for_source(source),
            weights=model.weights,
            dump_ir=dump_ir,
            keep_ir=keep_ir,
            keep_effects=keep_effects,
            keep_decisions=keep_decisions,
            progress=progress,
            instruments=instruments,
        )
    return replace(compiled, phases={**model.phases, **compiled.phases})


def compile_module(
    module: ir.Module,
    options: CompileOptions,
    *,
    weights: Mapping[str, np.ndarray[Any, Any]],
    start: Start = Start(),
    dump_ir: Path | None = None,
    keep_ir: bool = False,
    keep_effects: bool = False,
    keep_decisions: bool = False,
    progress: Progress | None = None,
    instruments: Instruments | None = None,
) -> Compiled:
    """Run the pipeline on a TTIR module of the current context, in place, and read the program from it.

    `start` is the progress of the module. `dump_ir` is a folder for the module's text after each pass that changed it;
    `keep_ir` stores the text of its IR stages in the program. `keep_effects` records the effects of each pass,
    `keep_decisions` the decisions of placement.
    """
    if start.phase is not Phase.TTNN:
        check_supported(module)
    stages = {start.phase or "ttir": print_module(module)} if keep_ir else {}
    values, effects = Weights.of(weights), PassEffects()
    pipeline, traces = start.rest(ttir_to_ttnn(options)).with_weights(values), dict[str, PlacementTrace]()
    if keep_decisions:
        pipeline = Pipeline(tuple(s.with_traces(traces) if isinstance(s, Place) else s for s in pipeline.passes))
    log = PassLog()
    hooks = [*_hooks(log, instruments), *([effects] if keep_effects else ())]
    check_pipeline(module, pipeline, values, instruments)
    with write_reproducer(module, pipeline):
        phases = run_timed(pipeline, module, hooks=hooks, dump_ir=dump_ir, progress=progress, instruments=instruments)
    _note_parameters(module, values)
    if dump_ir and values.arrays:
        dump_weights(dump_ir, values.arrays)
    if progress:
        progress("emit")
    began = time.perf_counter()
    binary = to_binary(module, values.arrays, start.then(pipeline), options)
    if keep_ir:
        binary = replace(binary, stages=stages | {"ttnn": print_module(module)})
    phases["emit"] = time.perf_counter() - began
    return Compiled(binary, phases, log.passes, effects.found, traces)


def lower_module(
    module: ir.Module,
    options: CompileOptions,
    phase: Phase,
    *,
    weights: Mapping[str, np.ndarray[Any, Any]],
    start: Start = Start(),
    dump_ir: Path | None = None,
    progress: Progress | None = None,
    instruments: Instruments | None = None,
) -> Lowered:
    """Run the pipeline up to a phase, in place; the text is for `PhaseRecord.take`, and has all locations.

    Raises:
        PassOptionError: the pipeline does not have the phase, or the module is further.
    """
    if start.phase is not Phase.TTNN:
        check_supported(module)
    pipeline, values = ttir_to_ttnn(options), Weights.of(weights)
    first, last = len(pipeline.passes) - len(start.rest(pipeline).passes), end_of(phase, pipeline)
    if last < first:
        raise PassOptionError(
            f"the module is {start.phase} already, which is after {phase}", hint="name a later phase to compile to"
        )
    steps, log = Pipeline(pipeline.passes[first:last]).with_weights(values), PassLog()
    check_pipeline(module, steps, values, instruments)
    with write_reproducer(module, steps):
        hooks = _hooks(log, instruments)
        phases = run_timed(steps, module, hooks=hooks, dump_ir=dump_ir, progress=progress, instruments=instruments)
    _note_parameters(module, values)
    PhaseRecord(phase, start.then(steps), options_of(module, options), (*values.arrays,)).write(module)
    return Lowered(print_module(module, locations=True), values.arrays, phases, log.passes)


def _hooks(log: PassLog, instruments: Instruments | None) -> list[Hook]:
    """Return the log, unless MLIR's pass manager runs the passes, which calls no hooks."""
    return [] if instruments and instruments.by_mlir else [log]


def _note_parameters(module: ir.Module, values: Weights) -> None:
    note_parameters(module, FIXED, values.fixed)
    note_parameters(module, FINITE, values.finite)


def to_binary(
    module: ir.Module, weights: Mapping[str, np.ndarray[Any, Any]], passes: str, options: CompileOptions
) -> Binary:
    """Return the program of a module after these passes, with the record of its compilation."""
    return emit(module, weights=weights, pipeline=passes, options=options_of(module, options), version=VERSION)


def options_of(module: ir.Module, options: CompileOptions) -> str:
    """Return the options for a program of the module, with the modules of custom ops by name."""
    found = {definition(op) for function in functions(module) for op in body(function)}
    others = {s.mnemonic: s.__module__ for s in found if s and not s.__module__.startswith("ttstack.")}
    return options.to_json({name: LOADED.get(module, module) for name, module in others.items()})
