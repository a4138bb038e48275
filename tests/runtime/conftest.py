"""What the runtime tests share: small functions made by hand, laid out one buffer after another."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from ttstack.device.layout import Layout, MemorySpace
from ttstack.ops.types import DType, TensorType
from ttstack.program.records import Binary, Function, Operation, Output, Tensor, TensorKind, Weight
from ttstack.system_desc import SystemDesc, load


class Builder:
    """A function under construction; every tensor gets the next free address of its memory."""

    def __init__(self, system: SystemDesc) -> None:
        self.system = system
        self.chip = system.chips[0]
        self.tensors: list[Tensor] = []
        self.operations: list[Operation] = []
        self.inputs: list[int] = []
        self.outputs: list[Output] = []
        self.weights: dict[str, Weight] = {}
        self._next = {MemorySpace.DRAM: self.chip.dram_base, MemorySpace.L1: self.chip.l1_base + 65536}

    def tensor(
        self,
        shape: Sequence[int],
        dtype: DType = DType.F32,
        *,
        name: str = "",
        kind: TensorKind = TensorKind.INTERMEDIATE,
        layout: Layout | None = None,
        address: int | None = None,
        alias: int | None = None,
    ) -> int:
        t = TensorType(tuple(shape), dtype)
        placed = layout or Layout(dtype, tiled=False)
        banks = self.chip.num_cores if placed.in_l1 else self.chip.dram_banks
        number = len(self.tensors)
        if address is None and alias is not None and alias < number:
            address = self.tensors[alias].address
        if address is None:
            address = self._next[placed.memory_space]
            taken, alignment = placed.bank_bytes(t, banks), self.chip.dram.alignment_bytes
            self._next[placed.memory_space] += -(-taken // alignment) * alignment
        self.tensors.append(Tensor(number, name or f"%{number}", t, placed, kind, address, alias))
        return number

    def input(self, name: str, shape: Sequence[int], dtype: DType = DType.F32, **kwargs: Any) -> int:
        number = self.tensor(shape, dtype, name=name, kind=TensorKind.INPUT, **kwargs)
        self.inputs.append(number)
        return number

    def weight(self, name: str, data: np.ndarray, dtype: DType = DType.F32, **kwargs: Any) -> int:
        number = self.tensor(data.shape, dtype, name=name, kind=TensorKind.PARAMETER, **kwargs)
        self.inputs.append(number)
        self.weights[name] = Weight(name, self.tensors[number].type, data)
        return number

    def op(
        self,
        mnemonic: str,
        operands: Sequence[int | None],
        shape: Sequence[int] | None = None,
        dtype: DType = DType.F32,
        *,
        attributes: dict[str, Any] | None = None,
        record: dict[str, Any] | None = None,
        **kwargs: Any,
    ) -> int:
        """Append an operation, without a result where there is no shape.

        `kwargs` are of the result, `record` of the operation.
        """
        results = () if shape is None else (self.tensor(shape, dtype, **kwargs),)
        where: dict[str, Any] = {"location": f"model.py:{len(self.operations) + 1}"} | (record or {})
        self.operations.append(Operation(mnemonic, tuple(operands), results, attributes or {}, **where))
        return results[0] if results else -1

    def output(self, tensor: int, name: str = "out") -> None:
        self.outputs.append(Output(name, tensor))

    def function(self) -> Function:
        return Function(
            "forward",
            tuple(self.tensors),
            tuple(self.operations),
            tuple(self.inputs),
            tuple(self.outputs),
        )

    def binary(self) -> Binary:
        return Binary((self.function(),), self.system, self.weights)

    def described(self) -> Binary:
        """The program without the values of its weights."""
        return replace(self.binary(), weights={n: replace(w, data=None) for n, w in self.weights.items()})


@pytest.fixture(scope="session")
def system() -> SystemDesc:
    return load("wormhole")


@pytest.fixture
def build(system: SystemDesc) -> Callable[[], Builder]:
    return lambda: Builder(system)


@pytest.fixture
def b(system: SystemDesc) -> Builder:
    return Builder(system)


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(3)
