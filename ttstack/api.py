"""The Python API: compile a model, look at what it costs, run it, save it, load it."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from ttstack.choices import Choices, Engine, Numerics, WeightStorage
from ttstack.collector import rare_collections
from ttstack.engines import execute
from ttstack.exports import ProgramExports
from ttstack.kept import KeptAnswers
from ttstack.ops.types import TensorType
from ttstack.program.named_functions import named_function
from ttstack.program.records import Binary, Function
from ttstack.program.run_inputs import check_run, say_argument

if TYPE_CHECKING:
    from ttstack.options import CompileOptions
    from ttstack.passes.effects import PassEffect
    from ttstack.passes.instrumented import Instruments
    from ttstack.placement.trace import PlacementTrace
    from ttstack.report.report import Report

Array = np.ndarray[Any, Any]


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
class Program(KeptAnswers, ProgramExports):
    """A compiled model: one function or several, their weights, and the device that they are meant for."""

    binary: Binary
    phases: Mapping[str, float] = field(default_factory=dict[str, float])
    """Seconds that each phase of the compilation took; empty for a loaded program."""
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
        from ttstack.options import CompileOptions

        options = CompileOptions.of_program(self.binary, changes)
        return _compile(source, options.inputs if inputs is None else inputs, options)

    def save(self, path: str | Path, *, weights: WeightStorage = "auto") -> None:
        """Write a `.ttb` file, whole or not at all.

        Args:
            path: Of the file.
            weights: `inline` puts weights into the file, `beside` into a safetensors file next to it; `auto`
                takes `inline` while they are small.
        """
        from ttstack.flatbuffer import save

        save(self.binary, path, weights=weights)


def load(path: str | Path) -> Program:
    """The program of a `.ttb` file; needs neither MLIR nor the model's framework.

    Raises:
        BinaryFormatError: the file is truncated, altered, or of an unknown version.
    """
    from ttstack.flatbuffer import load as load_binary

    return Program(load_binary(path))


@rare_collections()
def compile(  # noqa: A001  (the name users expect, beside re.compile and torch.compile)
    source: Any,
    inputs: Any = None,
    *,
    dump_ir: str | Path | None = None,
    keep_ir: bool = False,
    keep_effects: bool = False,
    keep_decisions: bool = False,
    progress: Callable[[str], None] | None = None,
    instruments: "Instruments | None" = None,
    **options: Unpack[Choices],
) -> Program:
    """Compile a model for a device.

    Args:
        source: A path, MLIR text, an MLIR module, `package.module:factory`, an `nn.Module` or an `ExportedProgram`.
        inputs: Example inputs, where the source is an `nn.Module`, or their shapes: `[(32, 256)]`,
            `{"x": (32, 256), "ids": "32x128xi64"}`; float32 where no element type is named.
        dump_ir: A folder for the module's text after every pass that changed it.
        keep_ir: Whether the program carries the text of its IR stages.
        keep_effects: Whether `Program.effects` says how many ops, bytes and nanoseconds each pass left.
        keep_decisions: Whether `Program.decisions` has all candidates of each op, their prices, and why one was taken.
        progress: Called with the name of each phase when it begins; `Program.phases` has their seconds.
        instruments: What is printed of passes on standard error, see `ttstack.passes.instrumented`.
        options: `system_desc`, `placement`, `dtype` and the others of `ttstack.choices.Choices`, which are those of
            `ttstack compile` under the same names.

    Raises:
        TTStackError: whatever is wrong with the source, the description or the options.
    """
    from ttstack.options import CompileOptions

    chosen = CompileOptions.of({**options, "inputs": inputs})
    dumps = None if dump_ir is None else Path(dump_ir)
    return _compile(source, inputs, chosen, dumps, progress, keep_ir, keep_effects, keep_decisions, instruments)


def _compile(
    source: Any,
    inputs: Any,
    options: "CompileOptions",
    dump_ir: Path | None = None,
    progress: Callable[[str], None] | None = None,
    keep_ir: bool = False,
    keep_effects: bool = False,
    keep_decisions: bool = False,
    instruments: "Instruments | None" = None,
) -> Program:
    from ttstack.compiler import compile_module
    from ttstack.frontends.source import import_model

    if progress:
        progress("read")
    with import_model(source, inputs, options.function) as found:
        compiled = compile_module(
            found.module,
            options,
            weights=found.weights,
            dump_ir=dump_ir,
            keep_ir=keep_ir,
            keep_effects=keep_effects,
            keep_decisions=keep_decisions,
            progress=progress,
            instruments=instruments,
        )
    return Program(compiled.binary, {**found.phases, **compiled.phases}, compiled.effects, compiled.decisions)
