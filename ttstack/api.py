"""The Python API: compile a model, look at what it costs, run it, save it, load it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from ttstack.choices import Choices, Numerics, WeightStorage
from ttstack.collector import rare_collections
from ttstack.diagnostics import InputError
from ttstack.ops.types import TensorType
from ttstack.program.records import Binary, Function, Tensor

if TYPE_CHECKING:
    from ttstack.options import CompileOptions
    from ttstack.passes.effects import PassEffect
    from ttstack.report.report import Report

Array = np.ndarray[Any, Any]

_KINDS, _WAYS = 24, 5
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
    report: "Report"
    """Predicted time op by op."""

    def _repr_html_(self) -> str:
        from ttstack.report.html.notebook import run_fragment

        return run_fragment({"outputs": self.outputs, "updated": self.updated}, self.report)


@dataclass(frozen=True)
class Program:
    """A compiled model: one function or several, their weights, and the device that they are meant for."""

    binary: Binary
    phases: Mapping[str, float] = field(default_factory=dict[str, float])
    """Seconds that each phase of the compilation took; empty for a loaded program."""
    effects: "Sequence[PassEffect]" = ()
    """What each pass made of the model, where it was compiled with `keep_effects`."""

    def __repr__(self) -> str:
        functions = (f"{f.name}({', '.join(map(_declared, f.arguments.items()))})" for f in self.binary.functions)
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
        functions = {f.name: f for f in self.binary.functions}
        if name is None and len(functions) == 1:
            return next(iter(functions.values()))
        if name not in functions:
            what = "a function must be named" if name is None else f"there is no function '{name}'"
            raise InputError(f"{what}; the program has {', '.join(functions) or 'none'}")
        return functions[name]

    def cost(self, function: str | None = None) -> "Report":
        """Predicted time op by op; allocates no tensor and executes nothing."""
        from ttstack.report.build import build_report

        return build_report(self.binary, self.function(function).name)

    def run(
        self,
        inputs: Mapping[str, Array] | None = None,
        seed: int = 0,
        numerics: Numerics = "ieee",
        *,
        function: str | None = None,
        progress: Callable[[int, int, str], None] | None = None,
    ) -> Run:
        """Execute on NumPy.

        Args:
            inputs: Values by name; random ones from `seed` for all where None. Parameters can be named too, such as
                the state that another run left: `program.run(inputs | last.updated)`.
            seed: Of random inputs, and of random weights where the program was only described.
            numerics: `ieee` computes in the source's element types, `device` rounds every tensor to its
                format on the device and multiplies in the op's math fidelity.
            function: Which function, where there are several.
            progress: Called with ops done, ops in all, and the op's name.

        Raises:
            InputError: names, shapes or element types do not fit; all faults together.
            ExecutionError: an op has no reference meaning, or memory does not suffice.
        """
        from ttstack_runtime.executor import run
        from ttstack_runtime.inputs import random_inputs, random_weights

        found = self.function(function)
        _check_run(found, inputs, seed)
        values = random_inputs(found, seed) if inputs is None else inputs
        binary = random_weights(self.binary, seed)
        done = run(binary, values, function=found.name, numerics=numerics, progress=progress)
        return Run(done.outputs, done.updated, self.cost(found.name))

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

    def to_html(self, path: str | Path, function: str | None = None) -> None:
        """Write the page of `cost()`, with what ops that take the most time could have had instead.

        Raises:
            OutputError: the file cannot be written.
        """
        from ttstack.files import write_whole
        from ttstack.placement.explain import explain_longest
        from ttstack.report.html.page import report_page

        found, chip = self.function(function), self.binary.chip(self.function(function))
        alternatives = explain_longest(found, chip, self.binary.system_desc, kinds=_KINDS, most=_WAYS)
        write_whole(path, report_page(self.cost(found.name), alternatives))

    def to_visualizer(self, path: str | Path, function: str | None = None) -> None:
        """Write a new folder with `memory` and `performance`, which ttnn-visualizer opens.

        Raises:
            OutputError: there is something of that name, or it cannot be written.
        """
        from ttstack.report.visualizer.folder import write_folder

        found = self.function(function)
        write_folder(path, found, self.cost(found.name), self.binary.system_desc)

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


def _declared(argument: tuple[str, Tensor]) -> str:
    name, tensor = argument
    return f"{name}: {tensor.type}"


def _check_run(function: Function, inputs: object, seed: object) -> None:
    if inputs is not None and not isinstance(inputs, Mapping):
        declared = ", ".join(map(_declared, function.arguments.items()))
        raise InputError(
            f"inputs are a {type(inputs).__name__}, not values by name",
            hint=f"give a mapping; '{function.name}' takes {declared or 'none'}",
        )
    if not isinstance(seed, int | np.integer) or seed < 0:
        raise InputError(f"seed is {seed!r}", hint="give a whole number from 0 on")


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
    progress: Callable[[str], None] | None = None,
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
        progress: Called with the name of each phase when it begins; `Program.phases` has their seconds.
        options: `system_desc`, `placement`, `dtype` and the others of `ttstack.choices.Choices`, which are those of
            `ttstack compile` under the same names.

    Raises:
        TTStackError: whatever is wrong with the source, the description or the options.
    """
    from ttstack.options import CompileOptions

    chosen = CompileOptions.of({**options, "inputs": inputs})
    return _compile(source, inputs, chosen, None if dump_ir is None else Path(dump_ir), progress, keep_ir, keep_effects)


def _compile(
    source: Any,
    inputs: Any,
    options: "CompileOptions",
    dump_ir: Path | None = None,
    progress: Callable[[str], None] | None = None,
    keep_ir: bool = False,
    keep_effects: bool = False,
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
            progress=progress,
        )
    return Program(compiled.binary, {**found.phases, **compiled.phases}, compiled.effects)
