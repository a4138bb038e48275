"""A compiled program: tensors with addresses, ops in order, weights, and the device they are meant for."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ttstack.buffers.aliasing import buffer_owners
from ttstack.device.device_op import DeviceOp, Fidelity, Spread
from ttstack.device.layout import Grid, Layout
from ttstack.device.program_config import ProgramConfig
from ttstack.ops.base import OPS, Op
from ttstack.ops.types import TensorType
from ttstack.program.embedding_table_report import EmbeddingTableReport
from ttstack.program.finite_values import is_finite

if TYPE_CHECKING:
    from ttstack.system_desc import ChipDesc, SystemDesc


class TensorKind(StrEnum):
    """Where a tensor's values come from."""

    INPUT = "input"
    PARAMETER = "parameter"
    CONSTANT = "constant"
    INTERMEDIATE = "intermediate"


def result_name(tensor: int) -> str:
    """What the result of an op is called, by its id: sources name none."""
    return f"%{tensor}"


@dataclass(frozen=True)
class HeldWeight:
    """What a parameter holds of the weight that users give: a part of it, with dimensions in another order."""

    weight: str
    part: int | None = None
    """Its place along the weight's first dimension; None where all of it is held."""
    order: tuple[int, ...] = ()
    """Dimensions of the part, in the order in which they are held; none where that is the weight's own."""

    def view(self, array: "np.ndarray[Any, Any]") -> "np.ndarray[Any, Any]":
        """A view of the weight's values, [parts, ...] or [...], as they are held."""
        part = array if self.part is None else array[self.part]
        return part.transpose(self.order) if self.order else part

    def fault(self, t: TensorType, weight: TensorType) -> str | None:
        """Why a tensor of type `t` cannot hold this of a weight; None where it can."""
        shape = weight.shape if self.part is None else weight.shape[1:]
        within = self.part is None or (weight.rank > 0 and 0 <= self.part < weight.shape[0])
        whole = not self.order or sorted(self.order) == [*range(len(shape))]
        fits = (t.size, t.dtype) == (math.prod(shape), weight.dtype)
        if within and whole and fits:
            return None
        held = "" if self.part is None and not self.order else f", of which it holds part {self.part} by {self.order}"
        return f"is {t}, the weight of that name {weight}{held}"


@dataclass(frozen=True)
class Tensor:
    """One value of a function and the buffer that holds it."""

    id: int
    name: str
    type: TensorType
    layout: Layout
    kind: TensorKind = TensorKind.INTERMEDIATE
    address: int = 0
    """Offset in every bank of its memory, in bytes."""
    alias: int | None = None
    """The tensor whose buffer this one shares, where a reshape moved nothing."""
    held: HeldWeight | None = None
    """What a parameter holds of a weight, where that is not all of the weight of its own name, in its order."""

    @property
    def holds(self) -> HeldWeight:
        """What a parameter or constant holds of a weight."""
        return self.held or HeldWeight(self.name)


@dataclass(frozen=True)
class Operation:
    """One op of a function, by the mnemonic of its definition in `ttstack.ops`."""

    name: str
    operands: tuple[int | None, ...]
    """Tensor ids in the order of the definition's operand places, None where an optional one is absent."""
    results: tuple[int, ...]
    attributes: Mapping[str, Any] = field(default_factory=dict[str, Any])
    grid: Grid = field(default_factory=lambda: Grid(1, 1))
    spread: Spread = Spread.FLAT
    fidelity: Fidelity = Fidelity.HIFI4
    config: ProgramConfig | None = None
    circular_buffer_bytes: int = 0
    """Bytes of circular buffers that the op needs on each of its cores while it runs."""
    location: str = ""


@dataclass(frozen=True)
class Output:
    """A result of a function."""

    name: str
    tensor: int


@dataclass(frozen=True)
class Recomputation:
    """What was chosen to run again in a step of training, so that it fits."""

    ns: float
    """Predicted time of what runs again, each op alone with all tensors in DRAM."""
    bound_ns: float | None = None
    """No choice within the bytes that were counted takes less, as the integer program proved; None of fewest bytes."""

    @property
    def gap(self) -> float | None:
        """Share of the bound by which the time can exceed the least; None where no bound was proven."""
        return self.ns / self.bound_ns - 1 if self.bound_ns else None

    def as_dict(self) -> dict[str, float | None]:
        """For JSON."""
        return {"ns": self.ns, "bound_ns": self.bound_ns, "gap": self.gap}


@dataclass(frozen=True)
class Function:
    """A function of the source as a straight line of device ops; tensor ids are positions in `tensors`."""

    name: str
    tensors: tuple[Tensor, ...]
    operations: tuple[Operation, ...]
    inputs: tuple[int, ...]
    """Inputs, parameters and constants, in the order of the source's arguments."""
    outputs: tuple[Output, ...]
    bound_ns: float | None = None
    """No placement of these ops is predicted to be faster, as far as placement proved it."""
    recomputation: Recomputation | None = None
    """What was chosen to run again in a step of training; None where nothing does."""
    greedy_saves_ns: float = 0.0
    """How much shorter the greedy placement is predicted to be than this one, which is more certain; mostly 0."""

    def definition(self, operation: Operation) -> Op:
        """The op definition on this operation's types; raises `ValueError` where they do not fit."""
        operands = [None if i is None else self.tensors[i].type for i in operation.operands]
        results = [self.tensors[i].type for i in operation.results]
        return OPS[operation.name].on(operands, operation.attributes, *results)

    def device_op(self, operation: Operation) -> DeviceOp:
        """The op with the layouts of its tensors, as the cost model takes it."""
        return DeviceOp(
            op=self.definition(operation),
            operands=tuple(self.tensors[i].layout for i in operation.operands if i is not None),
            results=tuple(self.tensors[i].layout for i in operation.results),
            grid=operation.grid,
            spread=operation.spread,
            fidelity=operation.fidelity,
            config=operation.config,
        )

    @cached_property
    def aliases(self) -> dict[int, int]:
        """For each tensor that shares the buffer of another, which one."""
        return {i: tensor.alias for i, tensor in enumerate(self.tensors) if tensor.alias is not None}

    @cached_property
    def owners(self) -> tuple[int, ...]:
        """For each tensor, the one whose buffer it lies in; itself where it has its own."""
        shared = buffer_owners(self.aliases)
        return tuple(shared.get(i, i) for i in range(len(self.tensors)))

    @cached_property
    def spans_mesh(self) -> bool:
        """Whether it runs on all chips of the mesh; otherwise on the first one alone."""
        found = (OPS.get(operation.name) for operation in self.operations)
        return any(definition is not None and definition.spans_mesh for definition in found)

    @cached_property
    def arguments(self) -> dict[str, Tensor]:
        """Inputs that the user gives, by name."""
        return self._given(TensorKind.INPUT)

    @cached_property
    def parameters(self) -> dict[str, Tensor]:
        """Parameters and buffers of the model, by name."""
        return self._given(TensorKind.PARAMETER)

    def _given(self, kind: TensorKind) -> dict[str, Tensor]:
        return {t.name: t for t in (self.tensors[i] for i in self.inputs) if t.kind is kind}


@dataclass(frozen=True)
class Weight:
    """The values of a parameter or constant; `data` is None where the program was only described."""

    name: str
    type: TensorType
    """As users give and get it; functions may hold it under another shape, or as their tensors say by `held`."""
    data: np.ndarray[Any, Any] | None = None
    sha256: str = ""
    """Digest of the little-endian row-major bytes; empty until the program is saved."""

    @cached_property
    def is_finite(self) -> bool:
        """Return True if no value is infinite or NaN, as far as they are there."""
        return self.data is None or is_finite(self.data)


@dataclass(frozen=True)
class Binary:
    """Everything that a `.ttb` file holds."""

    functions: tuple[Function, ...]
    system_desc: "SystemDesc"
    weights: Mapping[str, Weight] = field(default_factory=dict[str, Weight])
    pipeline: str = ""
    """The passes that made it, as text that `ttstack opt` takes."""
    version: str = ""
    """The version of ttstack that saved it."""
    stages: Mapping[str, str] = field(default_factory=dict[str, str])
    """IR text by the name of the stage, where asked for."""
    tables: tuple[EmbeddingTableReport, ...] = ()
    """What became of embedding tables, where Tensor-Train form was asked for."""
    options: str = ""
    """How it was compiled, as JSON of `ttstack.options.model.CompileOptions`; empty in files of older versions."""
    fixed: tuple[str, ...] = ()
    """Parameters of the model that the program was computed with: a new value of one would not reach all of it."""
    finite: tuple[str, ...] = ()
    """Parameters of the model that the program takes to be finite: it multiplies some of their elements by zeros."""

    def chip(self, function: Function) -> "ChipDesc":
        """The chip that a function is compiled for."""
        return self.system_desc.target(spans_mesh=function.spans_mesh)
