"""A compiled model: inputs and outputs, cost, runs on the CPU, comparisons, and output files."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from ttstack.compiled_run import Array, Run
from ttstack.ops.types import TensorType
from ttstack.options.choices import Choices, Engine, Numerics, WeightStorage
from ttstack.program.call_inputs import as_arrays, name_inputs
from ttstack.program.named_functions import program_function
from ttstack.program.other_names import hint_at
from ttstack.program.records import Binary, Function
from ttstack.program.run_inputs import check_run, say_argument
from ttstack.support.collector import rare_collections
from ttstack.support.tensors import converter_to_kind
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

_EXPLAINED_KINDS, _ALTERNATIVES = 24, 5
"""Number of kinds of ops with alternatives on a page, and of alternatives for each."""


@dataclass(frozen=True)
class Program:
    """A compiled model: one or several functions, their weights, and the device."""

    binary: Binary
    phases: Mapping[str, float] = field(default_factory=dict[str, float])
    """Seconds of each phase of the compilation; empty for a loaded program."""
    passes: "Sequence[PassSummary]" = ()
    """Each pass of the compilation, with its stage, seconds and rewrites; empty for a loaded program."""
    effects: "Sequence[PassEffect]" = ()
    """Effect of each pass on the model, with `keep_effects`."""
    decisions: "Mapping[str, PlacementTrace]" = field(default_factory=dict[str, Any])
    """Placement decisions of each function, with `keep_decisions`."""

    def __repr__(self) -> str:
        functions = (f"{f.name}({', '.join(map(say_argument, f.arguments.items()))})" for f in self.binary.functions)
        return f"Program for {self.binary.system_desc.name}: {'; '.join(functions)}"

    def _repr_html_(self) -> str:
        from ttstack.report.html.notebook import program_fragment

        names = [function.name for function in self.binary.functions]
        ways = {name: {"takes": self.inputs(name), "gives": self.outputs(name)} for name in names}
        return program_fragment(f"Program for {self.binary.system_desc.name}", ways)

    def inputs(self, function: str | None = None) -> dict[str, TensorType]:
        """Return the names and types of the inputs of `run`."""
        return {name: t.given_type for name, t in self.function(function).arguments.items()}

    def outputs(self, function: str | None = None) -> dict[str, TensorType]:
        """Return the names and types of the outputs of `run`."""
        return dict(self.function(function).results)

    def function(self, name: str | None = None) -> Function:
        """Return the function of that name, or the only one.

        Raises:
            InputError: the function does not exist, or there are several and no name is given.
        """
        return program_function(self.binary, name)

    def cost(self, function: str | None = None) -> "Report":
        """Predict the time op by op; allocates no tensor and executes nothing."""
        from ttstack.report.build import build_report

        name = self.function(function).name
        if name not in self._reports:
            self._reports[name] = build_report(self.binary, name)
        return self._reports[name]

    def __call__(self, *values: Any, **named: Any) -> Any:
        """Execute on NumPy, and return the output, or a tuple of outputs, in the type of the inputs.

        Args:
            values: Tensors, arrays, lists or numbers in the order of `inputs()`; or one mapping by name, which returns
            a mapping too.
            named: Inputs by name.

        Raises:
            InputError: as for `run`; or there are several functions, for which `run(function=...)` is needed.
        """
        done = self.run(name_inputs(self.function(), values, named) or {})
        return done.outputs if len(values) == 1 and isinstance(values[0], Mapping) else done.values

    def __getattr__(self, name: str) -> Any:
        hint = hint_at(name)
        raise AttributeError(f"a program has no attribute '{name}'" + (f": {hint}" if hint else ""))

    def run(
        self,
        *inputs: Any,
        seed: int = 0,
        numerics: Numerics = "ieee",
        function: str | None = None,
        progress: Callable[[int, int, str], None] | None = None,
        engine: Engine = "numpy",
    ) -> Run:
        """Execute on NumPy, or as code of this machine's CPU.

        Args:
            inputs: Tensors, arrays, lists or numbers in the order of `inputs()`, or one mapping by name; random values
            from `seed` by default. A mapping can contain parameters too, such as the state of another run:
            `program.run(inputs | last.updated)`.
            seed: The seed of random inputs, and of random weights if the program has no values.
            numerics: `ieee` computes in the model's element types, `device` rounds every tensor to its device format
            and multiplies in the op's math fidelity.
            function: The name of the function, if there are several.
            progress: Called with the number of finished ops, the total, and the op's name.
            engine: `cpu` compiles the function once, by `ttstack.targets.cpu`, and calls it; it computes as `ieee`.

        Raises:
            UnsupportedOpError: an op has no lowering for CPUs.
            InputError: names, shapes or element types do not fit; lists all faults.
            ExecutionError: an op has no reference implementation, or there is not enough memory.
        """
        from ttstack_runtime.inputs import random_inputs, random_weights

        found = self.function(function)
        given = name_inputs(found, inputs)
        arrays = None if given is None else as_arrays(given)
        check_run(self.binary, found, arrays, seed, engine)
        values = random_inputs(found, seed) if arrays is None else arrays
        binary = random_weights(self.binary, seed)
        done = execute(engine, self._natives, binary, found, values, numerics, progress)
        convert = converter_to_kind((given or {}).values())
        outputs, updated = ({name: convert(a) for name, a in of.items()} for of in (done.outputs, done.updated))
        return Run(outputs, updated, partial(self.cost, found.name))

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
        """Execute once per batch, each time from the state of the previous run: training steps.

        Args:
            batches: Inputs by name, one mapping for each run.
            state: The state before the first run, such as `Run.updated` of another; the program's own by default.
            seed: The seed of random weights if the program has no values.
            numerics: As in `run`.
            function: As in `run`.
            progress: As in `run`, for each run.
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
        """Compile a model with the options of this program: placement, formats, overrides and Tensor-Train settings.

        Args:
            source: The model, as for `compile`; a program does not contain it.
            inputs: As for `compile`; shapes from the first compilation are reused.
            changes: Options that replace those of the program, as for `compile`.

        Raises:
            TTStackError: the source is invalid, or the program was saved before programs contained options.
        """
        from ttstack.compiler import compile_source
        from ttstack.options.model import CompileOptions

        options = CompileOptions.of_program(self.binary, changes)
        return program_of(compile_source(source, options.inputs if inputs is None else inputs, options))

    def explain(
        self, op: int | str, function: str | None = None, *, top: int | None = None, resolve: bool = False
    ) -> "list[Alternative]":
        """Return the alternatives of an op, their costs and the reasons; the chosen one comes first.

        Args:
            op: Its number in reports, its location or the end of it, or its name.
            function: The name of the function, if there are several.
            top: Number of alternatives; all for None.
            resolve: Whether all other ops are placed again around each, as with `optimal`.

        Raises:
            InputError: the op does not exist, is ambiguous, or has no separate placement.
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
        """Compare predicted times op by op with another program, or with this one on another device.

        Args:
            other: A program, or a device: a preset, a path, or a description.
            function: The name of the function, if there are several.
            recompile: The model, to compile again for the device; for None, the program keeps its placement.

        Raises:
            TTStackError: the device does not exist, the program does not fit it, or the model differs.
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
        """Compare predicted times with two releases of `ttnn`, such as `0.75`, with the reasons; see `compare`."""
        from ttstack.report.upgrade import compare_releases

        name = self.function(function).name
        anew = None if recompile is None else partial(self._compile_again, recompile, name)
        return compare_releases(self.binary, name, (before, after), anew)

    def what_if(
        self, changes: str | Sequence[str], function: str | None = None, *, recompile: Any = None
    ) -> "Comparison":
        """Compare predicted times with those on a changed device: `l1_size=2MiB,clock=1.2GHz`.

        Args:
            changes: One text or several, which are combined.
            function: As in `compare`.
            recompile: As in `compare`.

        Raises:
            TTStackError: as for `compare`; or a change does not parse, or names an unknown parameter.
        """
        from ttstack.system_desc.what_if import what_if

        texts = [changes] if isinstance(changes, str) else changes
        device, followed = what_if(self.binary.system_desc, texts)
        return self._compare_on(device, self.cost(function), followed, recompile)

    def overrides(self, function: str | None = None) -> dict[str, Any]:
        """Return the placement as `overrides=` of `compile`, which gives the same program."""
        from ttstack.placement.graph_from_program import overrides_of

        return overrides_of(self.function(function)).to_dict()

    @property
    def ir(self) -> Mapping[str, str]:
        """The text of the IR by level if compiled with `keep_ir`; otherwise empty."""
        return dict(self.binary.stages)

    def _compare_on(self, system: "SystemDesc", before: "Report", notes: tuple[str, ...], source: Any) -> "Comparison":
        """Compare the report with that on another device: with the program's placement, or compiled again.

        Raises:
            CapacityError: the program with its placement does not fit the device.
            InputError: the source is another model: inputs, outputs or parameters differ.
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
        """Compile the program's model for another device; raise `InputError` for a different model."""
        from ttstack.program.same_model import check_same_model

        again = self.recompile(source, system_desc=system).binary
        check_same_model(str(source), function, self.binary, again)
        return again

    def to_python(self, function: str | None = None, *, trace: bool = False, two_queues: bool = False) -> str:
        """Return a function as Python that calls `ttnn` and runs on a card: one file, without the weights.

        With `trace` the commands of a pass are traced once and replayed; with `two_queues` inputs are written through a
        separate command queue.

        Raises:
            UnsupportedOpError: lists all ops that have no call of `ttnn`, or cannot be traced.
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
        """Write the page of `cost()`, with alternatives of the most expensive ops.

        `samples` and `tokens` are those of one pass, as for `Report.count_in_pass`; `group_by` is the initial grouping
        of ops.

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
            OutputError: the name exists, or it cannot be written.
        """
        from ttstack.report.visualizer.folder import write_folder

        found = self.function(function)
        write_folder(path, found, self.cost(found.name), self.binary.system_desc)

    def save(self, path: str | Path, *, weights: WeightStorage = "auto") -> list[Path]:
        """Write a `.ttb` file atomically, and return the paths of it and of the weights next to it.

        Args:
            path: The path of the file.
            weights: `inline` stores weights in the file, `beside` in a safetensors file next to it; `auto` selects
            `inline` for small weights.
        """
        from ttstack.flatbuffer import save

        return save(self.binary, path, weights=weights)

    def __getstate__(self) -> dict[str, object]:
        """Return the state without caches: loaded code is specific to this process, and reports are quick."""
        caches = ("_natives", "_reports")
        return {name: value for name, value in self.__dict__.items() if name not in caches}

    @cached_property
    def _natives(self) -> Natives:
        """Functions compiled for the CPU."""
        return {}

    @cached_property
    def _reports(self) -> "dict[str, Report]":
        """Predicted times by function."""
        return {}


def program_of(compiled: "Compiled") -> Program:
    """Return the program of a finished compilation."""
    return Program(compiled.binary, compiled.phases, compiled.passes, compiled.effects, compiled.decisions)
