"""One op on drawn operand types and attributes: as a definition, as arrays, as an MLIR function."""

import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ttstack.dialects.base import create
from ttstack.dialects.elements import elements_attribute
from ttstack.dialects.types import tensor_type
from ttstack.mlir import func, ir
from ttstack.ops import OPS, Op
from ttstack.ops.types import DType, TensorType

NAME = "f"


@dataclass(frozen=True)
class Case:
    """Operand types in the order of the op's places, attributes, and the type that only a result says.

    Integers of operand `i` are drawn below `bounds[i]`; `sorted_operands` ascend from 0, `fills[i]` is all there is.
    """

    mnemonic: str
    operands: tuple[TensorType | None, ...] = ()
    attributes: Mapping[str, Any] = field(default_factory=dict)
    result: TensorType | tuple[TensorType, ...] | None = None
    """The types of results of which only the text says them."""
    bounds: Mapping[int, int] = field(default_factory=dict)
    sorted_operands: frozenset[int] = frozenset()
    fills: Mapping[int, int] = field(default_factory=dict)

    @property
    def op(self) -> Op:
        """The definition; of a constant, with an array for its elements."""
        return OPS[self.mnemonic].on(self.operands, self.attributes, *self.spelled)

    @property
    def spelled(self) -> tuple[TensorType, ...]:
        if isinstance(self.result, TensorType):
            return (self.result,)
        return self.result or ()

    @property
    def present(self) -> list[TensorType]:
        return [t for t in self.operands if t is not None]

    def arrays(self) -> list[np.ndarray | None]:
        """Random operands, the same ones for the same case."""
        rng = np.random.default_rng(zlib.crc32(self.mnemonic.encode()))
        return [None if t is None else self._array(rng, i, t) for i, t in enumerate(self.operands)]

    def named_arrays(self) -> dict[str, np.ndarray]:
        """The operands that are there, by the names that a compiled function gives its arguments."""
        return {f"arg{i}": a for i, a in enumerate(a for a in self.arrays() if a is not None)}

    def module(self, dialect: str = "ttir") -> ir.Module:
        """A function of the present operands that returns all results, in the current context."""
        module = ir.Module.create()
        with ir.InsertionPoint(module.body), ir.Location.file("model.py", 7, 1):
            function = func.FuncOp(NAME, ([tensor_type(t) for t in self.present], []))
            block = function.add_entry_block()
            arguments = iter(block.arguments)
            with ir.InsertionPoint(block):
                values = [None if t is None else next(arguments) for t in self.operands]
                op = create(dialect, self.mnemonic, values, self._mlir_attributes(), results=self.spelled)
                func.ReturnOp(op.results)
            types = [r.type for r in op.results]
        inputs = [a.type for a in block.arguments]
        function.attributes["function_type"] = ir.TypeAttr.get(ir.FunctionType.get(inputs, types))
        return module

    def _mlir_attributes(self) -> dict[str, Any]:
        if self.mnemonic != "constant":
            return dict(self.attributes)
        assert isinstance(self.result, TensorType)
        return {"value": elements_attribute(self.attributes["value"], self.result)}

    def _array(self, rng: np.random.Generator, position: int, t: TensorType) -> np.ndarray:
        if position in self.fills:
            return np.full(t.shape, self.fills[position], t.dtype.numpy)
        if t.dtype.is_float:
            return rng.uniform(0.1, 2, t.shape).astype(t.dtype.numpy)
        bound = self.bounds.get(position, 2 if t.dtype is DType.I1 else 5)
        values = rng.integers(0, max(bound, 1), t.shape)
        if position in self.sorted_operands:
            values = np.sort(values)
            values[:1] = 0
        return values.astype(t.dtype.numpy)


def the_op(module: ir.Module) -> Any:
    """The one op of a module that `Case.module` made."""
    return module.body.operations[0].regions[0].blocks[0].operations[0].operation
