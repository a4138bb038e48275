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
from ttstack.ops.types import ComplexType, TensorType
from ttstack.program.embedding_table_report import EmbeddingTableReport
from ttstack.program.finite_values import is_finite

if TYPE_CHECKING:
    from ttstack.system_desc import ChipDesc, SystemDesc


class TensorKind(StrEnum):
    """Origin of a tensor's values."""

    INPUT = "input"
    PARAMETER = "parameter"
    CONSTANT = "constant"
    INTERMEDIATE = "intermediate"


def result_name(tensor: int) -> str:
    """Return the name of an op's result, by its id: sources do not name it."""
    return f"%{tensor}"


@dataclass(frozen=True)
class HeldWeight:
    """Part of a user's weight that a parameter stores, with dimensions in another order."""

    weight: str
    part: int | None = None
    """Index along the weight's first dimension; None if the parameter stores all of it."""
    order: tuple[int, ...] = ()
    """Dimensions of the part, in their stored order; empty for the weight's own order."""

    def view(self, array: "np.ndarray[Any, Any]") -> "np.ndarray[Any, Any]":
        """Return a view of the weight's values, [parts, ...] or [...], in the stored order."""
        part = array if self.part is None else array[self.part]
        return part.transpose(self.order) if self.order else part

    def fault(self, t: TensorType, weight: TensorType) -> str | None:
        """Return why a tensor of type `t` cannot store this part of a weight; None if it can."""
        shape = weight.shape if self.part is None else weight.shape[1:]
        within = self.part is None or (weight.rank > 0 and 0 <= self.part < weight.shape[0])
        whole = not self.order or sorted(self.order) == [*range(len(shape))]
        fits = (t.size, t.dtype) == (math.prod(shape), weight.dtype)
        if within and whole and fits:
            return None
        held = "" if self.part is None and not self.order else f"; it stores part {self.part} by {self.order}"
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
    """The tensor whose buffer this one shares after a reshape without data movement."""
    held: HeldWeight | None = None
    """Part of a weight that a parameter stores, unless it is the full weight of the same name and order."""
    is_complex: bool = False
    """True for an input of complex numbers, stored as pairs of reals along the last dimension."""

    @property
    def given_type(self) -> TensorType:
        """The type of the values that a user gives."""
        return ComplexType.of_pairs(self.type) if self.is_complex else self.type

    @property
    def holds(self) -> HeldWeight:
        """Part of a weight that a parameter or constant stores."""
        return self.held or HeldWeight(self.name)


@dataclass(frozen=True)
class Operation:
    """One op of a function, by the mnemonic of its definition in `ttstack.ops`."""

    name: str
    operands: tuple[int | None, ...]
    """Tensor ids in the order of the definition's operands; None for an absent optional one."""
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
    is_complex: bool = False
    """True for complex numbers, stored as pairs of reals along the last dimension."""


@dataclass(frozen=True)
class Recomputation:
    """Ops that a training step recomputes so that it fits."""

    ns: float
    """Predicted time of recomputed ops, each alone with all tensors in DRAM."""
    bound_ns: float | None = None
    """Proven lower bound of the time within the counted bytes; None if bytes are minimized."""

    @property
    def gap(self) -> float | None:
        """Return the maximum gap between time and bound, as a share of the bound; None without a bound."""
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
    """Ops that a training step recomputes; None without any."""
    greedy_saves_ns: float = 0.0
    """Predicted time by which the greedy placement is shorter, which is less certain; mostly 0."""
    loops: tuple["Function", ...] = ()
    """Conditions and bodies of its loops, which run in the memory that it leaves."""

    @cached_property
    def with_loops(self) -> tuple["Function", ...]:
        """The function itself, and all functions that its loops run, at any depth."""
        return (self, *(inner for loop in self.loops for inner in loop.with_loops))

    def loop(self, name: str) -> "Function":
        """Return the function of that name that a loop runs; raise `KeyError` if there is none."""
        return {loop.name: loop for loop in self.loops}[name]

    def definition(self, operation: Operation) -> Op:
        """Return the op definition on this operation's types; raise `ValueError` if they are not valid."""
        operands = [None if i is None else self.tensors[i].type for i in operation.operands]
        results = [self.tensors[i].type for i in operation.results]
        return OPS[operation.name].on(operands, operation.attributes, *results)

    def device_op(self, operation: Operation) -> DeviceOp:
        """Return the op with the layouts of its tensors, for the cost model."""
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
        """Return for each tensor the owner of its buffer; itself if it has its own."""
        shared = buffer_owners(self.aliases)
        return tuple(shared.get(i, i) for i in range(len(self.tensors)))

    @cached_property
    def spans_mesh(self) -> bool:
        """True if it runs on all chips of the mesh; otherwise it runs on the first one."""
        found = (OPS.get(operation.name) for function in self.with_loops for operation in function.operations)
        return any(definition is not None and definition.spans_mesh for definition in found)

    @cached_property
    def results(self) -> dict[str, TensorType]:
        """The types of the values that a user gets, by output name."""
        types = ((o, self.tensors[o.tensor].type) for o in self.outputs)
        return {o.name: ComplexType.of_pairs(t) if o.is_complex else t for o, t in types}

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
    """The values of a parameter or constant; `data` is None if the program was compiled from a description."""

    name: str
    type: TensorType
    """Type for users; functions may store it with another shape, or as `held` of their tensors describes."""
    data: np.ndarray[Any, Any] | None = None
    sha256: str = ""
    """Digest of the little-endian row-major bytes; empty until the program is saved."""

    @cached_property
    def is_finite(self) -> bool:
        """Return True if no available value is infinite or NaN."""
        return self.data is None or is_finite(self.data)


@dataclass(frozen=True)
class Binary:
    """Everything that a `.ttb` file holds."""

    functions: tuple[Function, ...]
    system_desc: "SystemDesc"
    weights: Mapping[str, Weight] = field(default_factory=dict[str, Weight])
    pipeline: str = ""
    """The passes of its compilation, as text for `ttstack opt`."""
    version: str = ""
    """The version of ttstack that saved it."""
    stages: Mapping[str, str] = field(default_factory=dict[str, str])
    """IR text by the name of the stage, if requested."""
    tables: tuple[EmbeddingTableReport, ...] = ()
    """Outcome of embedding tables, if Tensor-Train form was requested."""
    options: str = ""
    """Compile options, as JSON of `ttstack.options.model.CompileOptions`; empty in files of older versions."""
    fixed: tuple[str, ...] = ()
    """Parameters of the model that the program was computed with: a new value of one would not reach all of it."""
    finite: tuple[str, ...] = ()
    """Parameters of the model that the program assumes to be finite: it multiplies some of their elements by zeros."""

    def chip(self, function: Function) -> "ChipDesc":
        """Return the chip that a function is compiled for."""
        return self.system_desc.target(spans_mesh=function.spans_mesh)
