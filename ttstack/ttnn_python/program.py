"""A program's function as a readable Python file that runs on a card."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from importlib.resources import files
from itertools import accumulate, chain

from ttstack.diagnostics import UnsupportedOpError
from ttstack.escape import docstring_text
from ttstack.ops.devices import Mesh
from ttstack.program.records import Binary, Function, Tensor, TensorKind
from ttstack.program.repeated_steps import repeated_steps
from ttstack.report.build import build_report
from ttstack.report.report import Report
from ttstack.ttnn_python.body import Body
from ttstack.ttnn_python.expression import spell
from ttstack.ttnn_python.function import EmittedOp, Steps
from ttstack.ttnn_python.given import Given, declare
from ttstack.ttnn_python.loop_functions import JOIN, TRUTH, LoopPart, loop_functions
from ttstack.ttnn_python.spelling import Constants, NoCallError
from ttstack.version import VERSION

L1_SMALL = 32768
"""Bytes of each core's L1 reserved for tables of convolutions and pools."""

TRACE_BYTES = 65536
"""Bytes of DRAM reserved for the trace of one op."""

_SHOWN = 40
"""Maximum number of faults in an error."""


@dataclass(frozen=True)
class Emission:
    """A function as Python."""

    binary: Binary
    function: Function
    name: str
    """The program's name, for the docstring."""
    trace: bool = False
    """Whether the commands of a pass are traced once and replayed."""
    two_queues: bool = False
    """Whether inputs are written through a separate command queue."""

    @cached_property
    def report(self) -> Report:
        """The prediction for the function."""
        return build_report(self.binary, self.function.name)

    @cached_property
    def _given(self) -> Given:
        """What the file reads: inputs and parameters of the function, and parameters of its loops."""
        own = Given.of(self.function)
        weights = (t for part in self.parts for t in part.given.tensors if t.kind is not TensorKind.INPUT)
        return replace(own, tensors=(*own.tensors, *weights))

    @cached_property
    def parts(self) -> tuple[LoopPart, ...]:
        """Conditions and bodies of loops."""
        inside = self.function.with_loops[1:]
        return tuple(LoopPart(self.binary, loop, self._steps.constants, self._mesh) for loop in inside)

    @cached_property
    def _steps(self) -> Steps:
        return Steps.of(self.function, Given.of(self.function), self.binary.chip(self.function), self._mesh)

    @property
    def _mesh(self) -> Mesh:
        """The chips of the function."""
        return Mesh(self.binary.system_desc.mesh_shape) if self.function.spans_mesh else Mesh()

    @property
    def variables(self) -> Mapping[int, str]:
        """The expression of each tensor in the body."""
        return self._steps.variables

    @property
    def constants(self) -> Constants:
        """The named configurations at the top of the file."""
        return self._steps.constants

    @cached_property
    def steps(self) -> tuple[EmittedOp, ...]:
        """The statements of each operation."""
        return self._steps.steps()

    def check(self) -> None:
        """Raise `UnsupportedOpError` with all tensors of unsupported types, or all ops without a call."""
        self.check_tensors()
        missing = [str(step) for step in self._all_steps if step.missing]
        what = f"{len(missing)} of {len(self.report.ops)} ops of '{self.function.name}' have no ttnn call"
        _refuse(what, missing, "replace them in the model, or run the program with `ttstack run`")
        writing = [str(step).rstrip(": ") for step in self._all_steps if self.trace and step.writes_from_host]
        what = f"{len(writing)} of {len(self.report.ops)} ops write data from the host, which a trace cannot record"
        _refuse(what, writing, "emit the program without --trace")
        waiting = [str(step).rstrip(": ") for step in self._all_steps if self.trace and step.waits_for_host]
        what = f"{len(waiting)} loops end when the host reads a value, which a trace cannot record"
        _refuse(what, waiting, "emit the program without --trace, or give the loops a fixed number of iterations")

    @property
    def _all_steps(self) -> Iterator[EmittedOp]:
        return chain(self.steps, *(part.steps for part in self.parts))

    def check_tensors(self) -> None:
        """Raise `UnsupportedOpError` with all tensors of formats and layouts that `ttnn` does not support."""
        tensors = [t for inside in self.function.with_loops for t in inside.tensors]
        faults = [f"'{t.name}': {why}" for t in tensors if (why := _not_held(t))]
        what = f"{len(faults)} tensors of '{self.function.name}' are of no kind that ttnn has"
        _refuse(what, faults, "compile with dtype bf16, bfp8_b or f32, or run the program with `ttstack run`")

    def empty(self, step: EmittedOp) -> str:
        """Return statements that allocate the results of a step without computing them."""
        results = (self.function.tensors[i] for i in step.operation.results)
        return "\n".join(
            f"{self._steps.variables[t.id]} = put(device, {spell(declare(t, self.constants))})" for t in results
        )

    @cached_property
    def text(self) -> str:
        """The text of the file; ops without a call raise an error there."""
        outputs = {o.name: self._steps.variables[o.tensor] for o in self.function.outputs}
        body = Body([step for step in self.steps if not step.before], self.report, outputs, self._recurring)
        loops = [*(part.text for part in self.parts), *loop_functions(self.function)]
        tables = self._given.tables(self.constants)
        harness = files("ttstack.ttnn_python")
        parts = [
            self._head(),
            harness.joinpath("tensor.py.txt").read_text().strip(),
            "\n".join(f"{k} = {spell(value, before=len(k) + 3)}" for k, value in self.constants.values.items()),
            tables,
            self._prepare(),
            *([TRUTH] if any(step.waits_for_host for step in self._all_steps) else []),
            *([JOIN] if any(step.operation.attributes.get("stacked") for step in self._all_steps) else []),
            *loops,
            *body.functions,
            harness.joinpath("replay.py.txt" if self.trace or self.two_queues else "run.py.txt").read_text().strip(),
            harness.joinpath("harness.py.txt").read_text().strip(),
        ]
        return "\n\n\n".join(part for part in parts if part) + "\n"

    @property
    def _recurring(self) -> list[range]:
        """The starts of repeated steps among the ops of a pass, without those that distribute weights to a mesh."""
        kept = [0, *accumulate(not step.before for step in self.steps)]
        found = [(kept[step.start], kept[step.stop], step) for step in repeated_steps(self.function)]
        whole = [(start, stop, step) for start, stop, step in found if stop - start == step.stop - step.start]
        return [range(start, stop, step.length) for start, stop, step in whole]

    def _head(self) -> str:
        time = f"{self.report.total_ns / 1000:,.1f} µs predicted"
        pairs = [name for name, tensor in self.function.arguments.items() if tensor.is_complex]
        what = docstring_text(f"{self.function.name} of {self.name} on {self.report.system}")
        return (
            f'"""{what}: {time}. By ttstack {VERSION}.\n\n'
            "    python FILE.py [--inputs FILE] [--seed N | --empty] [--golden FILE]\n"
            '"""\n\n'
            "import argparse\nimport json\nimport sys\nfrom pathlib import Path\nfrom typing import NamedTuple\n\n"
            "import numpy as np\nimport ttnn\n\n"
            f"MESH = {self._mesh.shape}\nL1_SMALL_SIZE = {L1_SMALL}\n"
            f"TRACE_REGION_SIZE = {TRACE_BYTES * len(self.report.ops) if self.trace else 0}\n"
            f"TRACE = {self.trace}\nTWO_QUEUES = {self.two_queues}\n"
            f"COMPLEX = {spell(pairs, before=len('COMPLEX = '))}  # inputs of pairs of reals, given as complex numbers"
        )

    def _prepare(self) -> str:
        """Return a function that prepares weights of convolutions once for all passes."""
        once = [line for step in self._all_steps for line in step.prepared_lines(4)]
        return "\n".join(
            ["def prepare(device, t):", '    """Weights as the library reads them, once for all passes."""', *once]
        )


def _refuse(what: str, faults: Sequence[str], hint: str) -> None:
    if not faults:
        return
    more = [f"and {len(faults) - _SHOWN} more"] if len(faults) > _SHOWN else []
    raise UnsupportedOpError(what, notes=(*faults[:_SHOWN], *more), hint=hint)


def _not_held(tensor: Tensor) -> str:
    try:
        declare(tensor, Constants())
    except NoCallError as why:
        return str(why)
    return ""


def emit_python(binary: Binary, function: Function, name: str, *, trace: bool = False, two_queues: bool = False) -> str:
    """Return the file's text; `name` is the program's, for the docstring.

    With `trace` the commands of a pass are traced once and replayed; with `two_queues` inputs have a separate command
    queue.

    Raises:
        UnsupportedOpError: lists all ops that have no call, or cannot be traced.
    """
    emission = Emission(binary, function, name, trace, two_queues)
    emission.check()
    return emission.text
