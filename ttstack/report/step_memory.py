"""Memory of a training step, by module: parameters, the optimizer's state, activations and gradients."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from ttstack.buffers.lifetimes import Lifetime, lifetimes
from ttstack.program.buffers import steps
from ttstack.program.records import Function, Tensor, TensorKind
from ttstack.program.step_parts import BEFORE_BACKWARD, StepPart, split_part


class Holding(StrEnum):
    """Role of a buffer in a training step, if it is long-lived."""

    PARAMETER = "parameters"
    OPTIMIZER = "optimizer state"
    ACTIVATION = "activations"
    """Made in the forward pass or the loss, and read later than that: all are there when the backward pass begins."""
    GRADIENT = "gradients"
    """Made in the backward pass and read by the optimizer: all are there when its update begins."""


@dataclass(frozen=True)
class Held:
    """A buffer that lasts."""

    tensor: int
    holding: Holding
    module: str


_STATE = ("optimizer", "schedule")
"""Prefix of the names of the optimizer's state."""


def holdings(function: Function) -> Iterator[Held]:
    """Return the buffers of a step that last longer than a part of it; none in programs that are not steps."""
    parts = [split_part(operation.location)[0] for operation in function.operations]
    if StepPart.BACKWARD not in parts:
        return
    for tensor, life in lifetimes(steps(function), function.inputs, function.aliases).items():
        found = _holding(function.tensors[tensor], life, parts)
        if found is not None:
            yield Held(tensor, found, _module(function, function.tensors[tensor], found, life))


def _holding(tensor: Tensor, life: Lifetime, parts: list[str]) -> Holding | None:
    first, last = parts[life.first], parts[life.last]
    if tensor.kind is TensorKind.PARAMETER:
        return Holding.OPTIMIZER if tensor.name.partition(".")[0] in _STATE else Holding.PARAMETER
    if tensor.kind is not TensorKind.INTERMEDIATE:
        return None
    if first in BEFORE_BACKWARD and last not in BEFORE_BACKWARD:
        return Holding.ACTIVATION
    return Holding.GRADIENT if (first, last) == (StepPart.BACKWARD, StepPart.OPTIMIZER) else None


def _module(function: Function, tensor: Tensor, holding: Holding, life: Lifetime) -> str:
    """Return the module of a parameter and its state; for other tensors, the module of their op."""
    if holding in (Holding.ACTIVATION, Holding.GRADIENT):
        return split_part(function.operations[life.first].location)[1]
    name = tensor.name.split(".", 2)[-1] if holding is Holding.OPTIMIZER else tensor.name
    return name.rpartition(".")[0]


def step_memory(function: Function, depth: int) -> list[dict[str, Any]]:
    """Return the persistent bytes on the device by kind, for each module down to a depth, and in total.

    The last says what runs again, where anything does. Padding of tiles is in them,
    and what lies in L1 counts as what lies in DRAM.
    """
    rows = defaultdict[str, dict[Holding, int]](lambda: dict.fromkeys(Holding, 0))
    for found in holdings(function):
        tensor = function.tensors[found.tensor]
        nbytes = tensor.layout.nbytes(tensor.type)
        for module in (".".join(found.module.split(".")[:depth]), _ALL):
            rows[module][found.holding] += nbytes
    last = rows.pop(_ALL, None)
    table = {**rows, **({_ALL: last} if last else {})}
    printed: list[dict[str, Any]] = [
        {"module": module, **{str(holding): nbytes for holding, nbytes in row.items()}} for module, row in table.items()
    ]
    if function.recomputation is not None:
        printed[-1]["recomputation"] = function.recomputation.as_dict()
    return printed


_ALL = "all"
