"""A compiled model: its inputs and outputs, its cost, runs on the CPU, comparisons, and the files written of it."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from ttstack.ops.types import TensorType
from ttstack.options.choices import Choices, Engine, Numerics, WeightStorage
from ttstack.program.named_functions import named_function
from ttstack.program.records import Binary, Function
from ttstack.program.run_inputs import check_run, say_argument
from ttstack.support.collector import rare_collections
from ttstack.targets.engines import Natives, execute

if TYPE_CHECKING:
    from ttstack.compiler import Compiled
    from ttstack.passes.effects import PassEffect
    from ttstack.passes.pass_log import PassSummary
    from ttstack.placement.explain import Alternative
    from ttstack.placement.trace import PlacementTrace
    from ttstack.report.compare import Comparison
    from ttstack.report.groups import GroupKind
    from ttstack.report.report import Report
    from ttstack.report.upgrade import Upgrade
    from ttstack.system_desc import SystemDesc

Array = np.ndarray[Any, Any]

_EXPLAINED_KINDS, _ALTERNATIVES = 24, 5
"""Kinds of ops that a page shows alternatives of, and alternatives of each."""


@dataclass(frozen=True)
class Run:
    """What one execution gave."""

    outputs: Mapping[str, Array]
    """Values by name, in the element types of the source."""
    updated: Mapping[str, Array]
    """Inputs and parameters that the program writes to, such as KV caches, by name, as they are afterwards.

    The arrays that were given, and the program's own, are left as they are: pass these to the next run.
    """
    predict: Callable[[], "Report"] = field(repr=False)
    """Predicts the function's time; `report` is what it gives."""

    @property
    def report(self) -> "Report":
        """Predicted time op by op, from when it is first asked for."""
        return self.predict()

    def _repr_html_(self) -> str:
        from ttstack.report.html.notebook import run_fragment

        return run_fragment({"outputs": self.outputs, "updated": self.updated}, self.report)


@dataclass(frozen=True)
class Program:
    """A compiled model: one function or several, their weights, and the device that they are meant for."""

    binary: Binary
    phases: Mapping[str, float] = field(default_factory=dict[str, float])
    """Seconds that each phase of the compilation took; empty for a loaded program."""
    passes: "Sequence[PassSummary]" = ()
    """Each pass of the compilation, with its stage, seconds and rewrites; empty for a loaded program."""
    effects: "Sequence[PassEffect]" = ()
    """What each pass made of the model, where it was compiled with `keep_effects`."""
    decisions: "Mapping[str, PlacementTrace]" = field(default_factory=dict[str, Any])
    """What placement decided for each function, where it was compiled with `keep_decisions`."""

    def __repr__(self) -> str:
        functions = (f"{f.name}({', '.join(map(say_argument, f.arguments.items()))})" for f in self.binary.functions)
        return f"Program for {self.binary.system_desc.name}: {'; '.join(functions)}"

    def _repr_html_(self) -> str:
        from ttstack.report.html.notebook import program_fragment

        names = [function.name for function in self.binary.functions]
        ways = {name: {"takes": self.inputs(name), "gives": self.outputs(name)} for name in names}
        return program_fragment(f"Program for {self.binary.system_desc.name}", ways)

    def inputs(self, function: str | None = None) -> dict[str, TensorType]:
        """Names and types of the values that `run` takes."""
        return {name: t.type for name, t in self.function(function).arguments.items()}

    def outputs(self, function: str | None = None) -> dict[str, TensorType]:
        """Names and types of the values that `run` gives."""
        found = self.function(function)
        return {o.name: found.tensors[o.tensor].type for o in found.outputs}

    def function(self, name: str | None = None) -> Function:
        """The function of that name, or the only one.

        Raises:
            InputError: there is no such function, or several and no name.
        """
        return named_function(self.binary.functions, name)

    def cost(self, function: str | None = None) -> "Report":
        """Predicted time op by op; allocates no tensor and executes nothing."""
        from ttstack.report.build import build_report

        name = self.function(function).name
        if name not in self._reports:
            self._reports[name] = build_report(self.binary, name)
        return self._reports[name]

    def run(
        self,
        inputs: Mapping[str, Array] | None = None,
        seed: int = 0,
        numerics: Numerics = "ieee",
        *,
        function: str | None = None,
        progress: Callable[[int, int, str], None] | None = None,
        engine: Engine = "numpy",
    ) -> Run:
        """Execute on NumPy, or as code of this machine's processor.

        Args:
            inputs: Values by name; random ones from `seed` for all where None. Parameters can be named too, such as
                the state that another run left: `program.run(inputs | last.updated)`.
            seed: Of random inputs, and of random weights where the program was only described.
            numerics: `ieee` computes in the source's element types, `device` rounds every tensor to its
                format on the device and multiplies in the op's math fidelity.
            function: Which function, where there are several.
            progress: Called with ops done, ops in all, and the op's name.
            engine: `cpu` compiles the function once, by `ttstack.targets.cpu`, and calls it; computes as `ieee`.

        Raises:
            UnsupportedOpError: an op has no lowering for processors.
            InputError: names, shapes or element types do not fit; all faults together.
            ExecutionError: an op has no reference meaning, or memory does not suffice.
        """
        from ttstack_runtime.inputs import random_inputs, random_weights

        found = self.function(function)
        check_run(self.binary, found, inputs, seed, engine)
        values = random_inputs(found, seed) if inputs is None else inputs
        binary = random_weights(self.binary, seed)
        done = execute(engine, self._natives, binary, found, values, numerics, progress)
        return Run(done.outputs, done.updated, partial(self.cost, found.name))

    def steps(
        self,
        batches: Iterable[Mapping[str, Array]],
        state: Mapping[str, Array] | None = None,
        seed: int = 0,
        numerics: Numerics = "ieee",
        *,
        function: str | None = None,
        progress: Callable[[int, int, str], None] | None = None,
        engine: Engine = "numpy",
    ) -> Iterator[Run]:
        """Execute once for each batch, each time from the state that the time before left: steps of training.

        Args:
            batches: Inputs by name, one mapping for each run.
            state: What the first run goes on from, such as `Run.updated` of another; the program's own by default.
            seed: Of random weights where the program was only described.
            numerics: As in `run`.
            function: As in `run`.
            progress: As in `run`, of each run by itself.
            engine: As in `run`.

        Raises:
            InputError: as in `run`.
            ExecutionError: as in `run`.
        """
        from ttstack_runtime.inputs import random_weights

        found, left = self.function(function), dict(state or {})
        binary = random_weights(self.binary, seed)
        for batch in batches:
            check_run(self.binary, found, {**batch, **left}, seed, engine)
            done = execute(engine, self._natives, binary, found, {**batch, **left}, numerics, progress)
            left |= done.updated
            yield Run(done.outputs, done.updated, partial(self.cost, found.name))

    @rare_collections()
    def recompile(self, source: Any, inputs: Any = None, **changes: Unpack[Choices]) -> "Program":
        """Compile a model as this program was compiled: placement, formats, overrides and Tensor-Train settings.

        Args:
            source: The model, as `compile` takes it; a program does not hold it.
            inputs: As `compile` takes them; shapes that were spelled out then are known.
            changes: Options in place of those that the program was compiled with, as `compile` takes them.

        Raises:
            TTStackError: whatever is wrong with the source, or the program was saved before programs held options.
        """
        from ttstack.compiler import compile_source
        from ttstack.options.model import CompileOptions

        options = CompileOptions.of_program(self.binary, changes)
        return program_of(compile_source(source, options.inputs if inputs is None else inputs, options))

    def explain(
        self, op: int | str, function: str | None = None, *, top: int | None = None, resolve: bool = False
    ) -> "list[Alternative]":
        """What else an op could have had, what that would cost, and what decided; what it has comes first.

        Args:
            op: Its number in reports, its location or the end of it, or its name.
            function: Which function, where there are several.
            top: How many alternatives; all where None.
            resolve: Whether all other ops are placed anew around each, as `optimal` does it.

        Raises:
            InputError: there is no such op, there are several, or it has no placement of its own.
        """
        from ttstack.placement import BUDGET_SECONDS
        from ttstack.placement.explain import explain
        from ttstack.program.find_op import find_op, without_placement
        from ttstack.program.launched import launched_positions

        found, seconds = self.function(function), BUDGET_SECONDS if resolve else 0.0
        number = find_op(found, str(op))
        at, chip = launched_positions(found)[number], self.binary.chip(found)
        try:
            return explain(found, at, chip, self.binary.system_desc, most=top, anew_seconds=seconds)
        except LookupError as error:
            raise without_placement(found, number) from error

    def compare(
        self, other: "Program | SystemDesc | str | Path", function: str | None = None, *, recompile: Any = None
    ) -> "Comparison":
        """Predicted times op by op beside those of another program, or of this one on another device.

        Args:
            other: A program, or a device: a preset, a path, or a description.
            function: Which function, where there are several.
            recompile: The model, to be compiled again for the device; where None, the program is taken as it is placed.

        Raises:
            TTStackError: there is no such device, the program does not fit it, or the model is another one.
        """
        from ttstack.report.compare import compare
        from ttstack.system_desc import SystemDesc, load

        before = self.cost(function)
        if isinstance(other, Program):
            return compare(before, other.cost(function))
        system = other if isinstance(other, SystemDesc) else load(other)
        return self._compare_on(system, before, (), recompile)

    def compare_releases(
        self, before: str, after: str, function: str | None = None, *, recompile: Any = None
    ) -> "Upgrade":
        """Predicted times with two releases of `ttnn`, such as `0.75`, and why they differ; otherwise as `compare`."""
        from ttstack.report.upgrade import compare_releases

        name = self.function(function).name
        anew = None if recompile is None else partial(self._compile_again, recompile, name)
        return compare_releases(self.binary, name, (before, after), anew)

    def what_if(
        self, changes: str | Sequence[str], function: str | None = None, *, recompile: Any = None
    ) -> "Comparison":
        """Predicted times beside those on a device that has other figures: `l1_size=2MiB,clock=1.2GHz`.

        Args:
            changes: One text or several, which add up.
            function: As in `compare`.
            recompile: As in `compare`.

        Raises:
            TTStackError: as `compare`; or a change cannot be read, or names no figure.
        """
        from ttstack.system_desc.what_if import what_if

        texts = [changes] if isinstance(changes, str) else changes
        device, followed = what_if(self.binary.system_desc, texts)
        return self._compare_on(device, self.cost(function), followed, recompile)

    def overrides(self, function: str | None = None) -> dict[str, Any]:
        """What placement chose, as `overrides=` of `compile` takes it: the model gives the same program then."""
        from ttstack.placement.graph_from_program import overrides_of

        return overrides_of(self.function(function)).to_dict()

    @property
    def ir(self) -> Mapping[str, str]:
        """The text of the IR by level, where the program was compiled with `keep_ir`; else nothing."""
        return dict(self.binary.stages)

    def _compare_on(self, system: "SystemDesc", before: "Report", notes: tuple[str, ...], source: Any) -> "Comparison":
        """Compare the report with that on another device: as the program is placed, or of the model compiled again.

        Raises:
            CapacityError: the program does not fit the device as it is placed.
            InputError: the source is another model than the program's: inputs, outputs or parameters differ.
        """
        from ttstack.report.build import build_report
        from ttstack.report.compare import compare
        from ttstack.report.what_if import on_system

        if source is None:
            after, left_out = on_system(self.binary, system, before.function)
            return compare(before, after, notes + left_out)
        again = self._compile_again(source, before.function, system)
        return compare(before, build_report(again, before.function), notes)

    def _compile_again(self, source: Any, function: str, system: "SystemDesc") -> Binary:
        """Compile the program's model for another device; raises `InputError` where the source is another model."""
        from ttstack.program.same_model import check_same_model

        again = self.recompile(source, system_desc=system).binary
        check_same_model(str(source), function, self.binary, again)
        return again

    def to_python(self, function: str | None = None, *, trace: bool = False, two_queues: bool = False) -> str:
        """A function as Python that calls `ttnn` and runs on a card: one file, without the weights.

        With `trace` the commands of a pass are recorded once and replayed; with `two_queues` inputs are written
        through a queue of their own.

        Raises:
            UnsupportedOpError: ops have no call of `ttnn`, or cannot be recorded; all of them are listed.
        """
        from ttstack.ttnn_python import emit_python

        found = self.function(function)
        return emit_python(self.binary, found, found.name, trace=trace, two_queues=two_queues)

    def to_html(
        self,
        path: str | Path,
        function: str | None = None,
        *,
        samples: int | None = None,
        tokens: int | None = None,
        group_by: "GroupKind" = "module",
    ) -> None:
        """Write the page of `cost()`, with what ops that take the most time could have had instead.

        `samples` and `tokens` are those of one pass, as `Report.count_in_pass` takes them; ops are added up by
        `group_by` when the page is opened.

        Raises:
            InputError: one of them is less than 1.
            OutputError: the file cannot be written.
        """
        from ttstack.placement.explain import explain_longest
        from ttstack.report.html.page import report_page
        from ttstack.support.files import write_whole

        found, chip = self.function(function), self.binary.chip(self.function(function))
        report = self.cost(found.name).count_in_pass(samples=samples, tokens=tokens)
        alternatives = explain_longest(found, chip, self.binary.system_desc, kinds=_EXPLAINED_KINDS, most=_ALTERNATIVES)
        write_whole(path, report_page(report, alternatives, group_by))

    def to_visualizer(self, path: str | Path, function: str | None = None) -> None:
        """Write a new folder with `memory` and `performance`, which ttnn-visualizer opens.

        Raises:
            OutputError: there is something of that name, or it cannot be written.
        """
        from ttstack.report.visualizer.folder import write_folder

        found = self.function(function)
        write_folder(path, found, self.cost(found.name), self.binary.system_desc)

    def save(self, path: str | Path, *, weights: WeightStorage = "auto") -> None:
        """Write a `.ttb` file, whole or not at all.

        Args:
            path: Of the file.
            weights: `inline` puts weights into the file, `beside` into a safetensors file next to it; `auto`
                takes `inline` while they are small.
        """
        from ttstack.flatbuffer import save

        save(self.binary, path, weights=weights)

    def __getstate__(self) -> dict[str, object]:
        """Leave out the caches: loaded code exists in this process alone, and reports are quick to compute."""
        caches = ("_natives", "_reports")
        return {name: value for name, value in self.__dict__.items() if name not in caches}

    @cached_property
    def _natives(self) -> Natives:
        """Functions that were compiled for the CPU."""
        return {}

    @cached_property
    def _reports(self) -> "dict[str, Report]":
        """Predicted times by function."""
        return {}


def program_of(compiled: "Compiled") -> Program:
    """Return the program of a finished compilation."""
    return Program(compiled.binary, compiled.phases, compiled.passes, compiled.effects, compiled.decisions)
