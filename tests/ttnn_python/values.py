"""Values of an emitted program, op by op, beside those of the runtime."""

import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

import numpy as np

import ttstack
from tests.ttnn_python import stand_in
from ttstack.compiled_program import Program
from ttstack.ops import OPS
from ttstack.ops.types import DType, ElementType
from ttstack.program.records import Operation, Tensor
from ttstack.ttnn_python.program import Emission
from ttstack.ttnn_python.spelling import data_type
from ttstack_runtime.executor import run
from ttstack_runtime.inputs import random_inputs, random_weights
from ttstack_runtime.mutation import mutated_tensors

Array = np.ndarray[Any, Any]

LEFT_OUT = {
    **dict.fromkeys((name for name, op in OPS.items() if op.spans_mesh), "of several chips"),
    "bitcast_convert(2xi64)->2xf64": "the device has 32 bits of either",
    "dropout": "which elements become zero is not documented",
    "sampling": "which of the likely tokens is drawn is not documented",
    "typecast(3xf32)->3xui8": "what becomes of numbers that a format cannot hold is not documented",
}
"""Ops and forms that are not compared, and why."""

TOLERANCE: dict[ElementType, float] = {DType.F32: 2e-5, DType.F64: 2e-5, DType.BF16: 2.0**-8, DType.F16: 2.0**-10}
"""Relative to a result's largest number: the stand-in does not round, the runtime does, in float32 and at the end."""

WHOLE = 0.03
"""Relative to an output's largest number, after all ops of a program."""


@dataclass
class Compared:
    """Ops of a program whose values were compared, and how they differ."""

    ops: int = 0
    differences: list[str] = field(default_factory=list[str])
    """A line for each op that differs or is refused."""
    refused: int = 0
    """How many of those have no call."""


@contextmanager
def library(ttnn: ModuleType = stand_in) -> Iterator[None]:
    """The stand-in, or another module, as the one that emitted programs import."""
    before = sys.modules.get("ttnn")
    sys.modules["ttnn"] = ttnn
    try:
        yield
    finally:
        sys.modules.pop("ttnn") if before is None else sys.modules.update(ttnn=before)


def loaded(text: str, ttnn: ModuleType = stand_in) -> ModuleType:
    """An emitted program as a module."""
    module = ModuleType("emitted")
    with library(ttnn):
        exec(compile(text, "emitted.py", "exec"), vars(module))
    return module


def compare(
    program: Program,
    function: str | None = None,
    inputs: Mapping[str, Array] | None = None,
    ttnn: ModuleType = stand_in,
) -> Compared:
    """Each op computed by its statements from the operands that it has in the runtime, and by the runtime."""
    found = program.function(function)
    binary = random_weights(program.binary, 0)
    values = random_inputs(found, 0) if inputs is None else inputs
    emission = Emission(binary, found, "compared")
    steps = _Steps(emission, dict(values) | {name: w.data for name, w in binary.weights.items()}, ttnn)
    done = run(binary, values, function=found.name, watch=steps.watch)
    if not steps.compared.refused:
        steps.compare_outputs(done.outputs)
    return steps.compared


def compare_forms(family: Any, every: int = 1, ttnn: ModuleType = stand_in) -> Compared:
    """Ops of a family of `tests/forms` in every form that has a call, or in some of them."""
    chosen = [form for form in family.FORMS[::every] if {form.op, str(form)}.isdisjoint(LEFT_OUT) and not _of_f16(form)]
    total = Compared()
    if not chosen:
        return total
    text = "".join(form.function(f"f{i}") for i, form in enumerate(chosen))
    program = ttstack.compile(text, dtype="bf16")  # in which tables of embeddings are looked up
    for i, form in enumerate(chosen):
        given = {f"arg{k}": array for k, array in enumerate(form.arrays())}
        found = compare(program, f"f{i}", given, ttnn)
        if not found.refused:
            total.ops += found.ops
            total.differences += [f"{form}: {difference}" for difference in found.differences]
    return total


def _of_f16(form: Any) -> bool:
    """Whether it has a tensor of a format that no device has."""
    return any(t.element == "f16" for t in (*form.arguments, *form.returned))


class _Steps:
    """The emitted program, run a step at a time behind the runtime."""

    def __init__(self, emission: Emission, given: Mapping[str, Any], ttnn: ModuleType) -> None:
        self._function = emission.function
        self._variables = emission.variables
        self._steps = iter(emission.steps)
        self._module = loaded(emission.text, ttnn)
        self._given = given
        self._scope = vars(self._module) | {"device": stand_in.open_device(), "t": self._put()}
        self.compared = Compared()

    def _put(self) -> dict[str, stand_in.Tensor]:
        tables = self._module.WEIGHTS | self._module.INPUTS
        tensors = {name: self._module.put(None, tensor, self._given[name]) for name, tensor in tables.items()}
        self._module.prepare(None, tensors)
        return tensors

    def compare_outputs(self, outputs: Mapping[str, Array]) -> None:
        """Run the program as it stands, with its functions for layers; roundings of all ops add up."""
        with np.errstate(all="ignore"):
            got = self._module.forward(stand_in.open_device(), self._put())
        for name, want in outputs.items():
            wide = want.astype(np.float64)
            if not alike(got[name].values, wide, WHOLE):
                self.compared.differences.append(f"output {name} of forward: {_apart(got[name].values, wide):.3g} away")

    def watch(self, operation: Operation, values: Sequence[Any]) -> None:
        """Run the operation's statements and compare what they gave; go on from what the runtime has."""
        step = next(self._steps)
        assert step.operation is operation
        self.compared.ops += step.number is not None
        self.compared.refused += bool(step.missing)
        why = step.missing or self._run("\n".join(step.lines(0)), operation, values)
        for tensor in operation.results:
            self._scope[self._variables[tensor]] = self._held(tensor, values[tensor])
        if why:
            self.compared.differences.append(f"{operation.name} {operation.location}: {why}")

    def _run(self, source: str, operation: Operation, values: Sequence[Any]) -> str:
        try:
            with np.errstate(all="ignore"):
                exec(source, self._scope)
        except Exception as error:
            return f"{type(error).__name__} {error}"
        compared = (*operation.results, *mutated_tensors(operation))
        return "; ".join(filter(None, (self._difference(tensor, values[tensor]) for tensor in compared)))

    def _difference(self, tensor: int, want: Array) -> str:
        got, record = eval(self._variables[tensor], self._scope), self._function.tensors[tensor]
        if got.shape != record.type.shape:
            return f"shape {got.shape}, not {record.type.shape}"
        if got.dtype is not _format(record):
            return f"format {got.dtype}, not {_format(record)}"
        tolerance = TOLERANCE.get(record.type.dtype, 0.0)
        return "" if alike(got.values, want, tolerance) else f"values differ by {_apart(got.values, want):.3g}"

    def _held(self, tensor: int, value: Array) -> stand_in.Tensor:
        return stand_in.Tensor(value, _format(self._function.tensors[tensor]))


def _format(record: Tensor) -> stand_in.DataType:
    return getattr(stand_in, data_type(record.layout.dtype).text.removeprefix("ttnn."))


def alike(got: Array, want: Array, tolerance: float) -> bool:
    """Whether whole numbers are the same, and reals as near as their type can tell."""
    if want.dtype.kind != "f":
        return np.array_equal(got, want)
    largest = np.abs(want[np.isfinite(want)]).max(initial=0.0)
    return np.allclose(got, want, rtol=tolerance, atol=tolerance * largest, equal_nan=True)


def _apart(got: Array, want: Array) -> float:
    return float(np.nanmax(np.abs(got.astype(np.float64) - want.astype(np.float64)), initial=0.0))
