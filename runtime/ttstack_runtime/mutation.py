"""Ops that write to an operand: whose buffer that is, who shares it, and what is in it afterwards."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np

from ttstack.ops import OPS
from ttstack.ops.types import DType
from ttstack.program.records import Function, Operation, TensorKind
from ttstack_runtime.kernels.table import Array
from ttstack_runtime.per_device import PerDevice, Value, each, same_everywhere
from ttstack_runtime.precision import Ieee


def mutated_tensors(operation: Operation) -> list[int]:
    """The tensors that the operation writes to, its results aside."""
    definition = OPS.get(operation.name)
    if definition is None or not definition.mutates:
        return []
    named = zip(definition.operand_specs(), operation.operands, strict=False)
    return [tensor for name, tensor in named if name in definition.mutates and tensor is not None]


class Changes:
    """The buffers that operations of one execution write to.

    Each is copied once before its first change, so that arrays given from outside stay as they are. Tensors that
    the program puts into one buffer are views of one array; all others get their own before the buffer changes.
    """

    def __init__(
        self,
        function: Function,
        rules: Ieee,
        values: list[Any],
        read: Callable[[int], Value],
    ) -> None:
        self._function = function
        self._rules = rules
        self._roots = function.owners
        self._values = values
        self._read = read
        self._owned: dict[int, Value] = {}

    def prepare(self, operation: Operation) -> None:
        """Let the operation write to its operands without anybody else noticing."""
        for tensor in mutated_tensors(operation):
            root, devices = self._roots[tensor], self._devices(operation)
            owned = self._owned.get(root)
            if owned is None or (devices and not isinstance(owned, PerDevice)):
                self._own(tensor, devices)
            self._detach(root)

    def settle(self, operation: Operation) -> None:
        """Round what was written to the format of the buffer."""
        for tensor in mutated_tensors(operation):
            record = self._function.tensors[tensor]
            target = self._rules.format(record)
            others = [self._function.tensors[t] for t in operation.operands if t is not None and t != tensor]
            given = {self._rules.format(t) for t in others if t.type.dtype.is_float}
            if isinstance(target, DType) and (target.is_block or given - {target}):
                rounded = partial(self._rules.round, source=record.type.dtype, target=target)
                each(lambda array, of=rounded: _overwrite(array, of(array)), self._values[tensor])

    def updated_arrays(self) -> dict[str, np.ndarray[Any, Any]]:
        """The changed inputs and parameters by name, in their logical element types."""
        found: dict[str, np.ndarray[Any, Any]] = {}
        for root, value in self._owned.items():
            tensor, array = self._function.tensors[root], same_everywhere(value)
            if tensor.kind in (TensorKind.INPUT, TensorKind.PARAMETER) and array is not None:
                found[tensor.name] = np.array(array, dtype=tensor.type.dtype.numpy).reshape(tensor.type.shape)
        return found

    def _devices(self, operation: Operation) -> int | None:
        """Devices of which any operand has its own array."""
        values = [self._values[t] for t in operation.operands if t is not None]
        return next((len(v.arrays) for v in values if isinstance(v, PerDevice)), None)

    def _own(self, tensor: int, devices: int | None) -> None:
        """Give the buffer of the tensor an array, or one on each device, that is nobody else's."""
        root, given = self._roots[tensor], self._read(tensor)
        mine = each(_copy, given)
        if devices and not isinstance(mine, PerDevice):
            mine = PerDevice(tuple(_copy(mine) for _ in range(devices)))
        self._owned[root] = mine
        for other, value in enumerate(self._values):
            if self._roots[other] == root and (value is not None or other == tensor):
                shape = self._function.tensors[other].type.shape
                self._values[other] = each(lambda array, to=shape: array.reshape(to), mine)

    def _detach(self, root: int) -> None:
        """Copy what only happens to lie in the buffer, such as a transposed view of it that a kernel gave."""
        buffer = list(_arrays(self._owned[root]))
        for other, value in enumerate(self._values):
            if value is not None and self._roots[other] != root and _overlap(list(_arrays(value)), buffer):
                self._values[other] = each(_copy, value)


def _arrays(value: Value) -> Iterator[Array]:
    yield from value.arrays if isinstance(value, PerDevice) else (value,)


def _overlap(arrays: Sequence[Array], buffer: Sequence[Array]) -> bool:
    return any(np.may_share_memory(a, b) for a in arrays for b in buffer)


def _copy(array: Array) -> Array:
    return np.array(array, order="C")


def _overwrite(array: Array, new: Array) -> Array:
    if new is not array:
        np.copyto(array, new)
    return array
