"""Ops that create a tensor from attributes."""

from ttstack.ops.attributes import (
    F32,
    I64,
    Bool,
    DenseI32,
    Elements,
    I32Array,
    Number,
    ResultType,
    Si64,
    Ui32,
)
from ttstack.ops.base import Op, define
from ttstack.ops.loop_nest import LoopNest, TileOp
from ttstack.ops.loop_nests import elementwise, elementwise_estimate
from ttstack.ops.loops import TileWork
from ttstack.ops.shapes import axis, expect
from ttstack.ops.types import TensorType
from ttstack.ops.work_estimate import WorkEstimate


class Creation(Op):
    """An op without operands; its result type is declared."""

    op_code = "FillPadDeviceOperation"
    type: ResultType

    def infer(self) -> TensorType:
        """Return the declared result type."""
        return self.type

    def flops(self) -> int:
        """Return 0: the op computes nothing."""
        return 0

    def dispatch(self) -> LoopNest | WorkEstimate:
        """Return a loop nest in which each core writes its part."""
        return elementwise_estimate([], self.results[0], [TileWork("fill", ())])


class Constant(Creation, mnemonic="constant"):
    """Create a tensor with the elements of `value`; the device loads it with the program."""

    value: Elements


class Shaped(Creation):
    """A creation op whose shape is also an attribute."""

    shape: DenseI32

    def infer(self) -> TensorType:
        """Return the declared type; raise `ValueError` if its shape differs from `shape`."""
        same = self.type.shape == tuple(self.shape)
        expect(same, f"shape {list(self.shape)} differs from the result's {list(self.type.shape)}")
        return self.type


class Full(Shaped, mnemonic="full"):
    """Fill a tensor with `fill_value`."""

    fill_value: Number

    def dispatch(self) -> LoopNest:
        """Return a loop nest in which each core writes its part."""
        return fill_nest(self.type, self.fill_value)


class Zeros(Shaped, mnemonic="zeros"):
    """Fill a tensor with 0."""

    def dispatch(self) -> LoopNest:
        """Return a loop nest in which each core writes its part."""
        return fill_nest(self.type, 0)


class Ones(Shaped, mnemonic="ones"):
    """Fill a tensor with 1."""

    def dispatch(self) -> LoopNest:
        """Return a loop nest in which each core writes its part."""
        return fill_nest(self.type, 1)


def fill_nest(out: TensorType, value: float) -> LoopNest:
    """Return the loop nest that fills a tensor with one value."""
    return elementwise([], out, [TileOp("fill", (), (("value", value),))])


define(Creation, "empty", "Memory of a type; its values are not defined.")


class Arange(Creation, mnemonic="arange"):
    """Create `start, start + step, ...` below `end` along `arange_dimension`, repeated along all others."""

    start: Si64
    end: Si64
    step: Si64
    arange_dimension: I64

    def infer(self) -> TensorType:
        """Return the declared type; its extent along `arange_dimension` must be the number of elements of the range."""
        at = axis(self.arange_dimension, self.type.rank, "arange_dimension")
        expect(self.step != 0, "step is 0")
        count = max(0, -(-(self.end - self.start) // self.step))
        got = self.type.shape[at] if self.type.rank else 0
        expect(count == got, f"{self.start} to {self.end} by {self.step} has {count} values, the result {got}")
        return self.type

    def dispatch(self) -> LoopNest:
        """Return the declared type; its extent along `arange_dimension` must be the length of the range."""
        at = axis(self.arange_dimension, self.type.rank, "arange_dimension")
        values = (("start", self.start), ("step", self.step), ("along", at), ("dtype", self.type.dtype))
        return elementwise([], self.type, [TileOp("iota", (), values)])


class Rand(Creation, mnemonic="rand"):
    """Draw uniform samples from [`low`, `high`), reproducible by `seed`."""

    size: I32Array
    low: F32 = 0.0
    high: F32 = 1.0
    seed: Ui32 = 0

    def infer(self) -> TensorType:
        """Return the declared type; its shape must be `size`, and its elements real."""
        same = self.type.shape == tuple(self.size)
        expect(same, f"size {list(self.size)} differs from the result's {list(self.type.shape)}")
        expect(self.type.dtype.is_float, f"result holds {self.type.dtype}, samples are real numbers")
        expect(self.low < self.high, f"low {self.low} is not below high {self.high}")
        return self.type

    def dispatch(self) -> WorkEstimate:
        """Estimate random numbers, with a part for each core."""
        return elementwise_estimate([], self.results[0], [TileWork("rand", ())])


class Dropout(Op, mnemonic="dropout"):
    """Multiply `input` by `scale`, and set each element to 0 with probability `prob`, reproducibly by `seed`.

    `use_per_device_seed` draws different elements on each chip of a mesh.
    """

    op_code = "DropoutDeviceOperation"
    input: TensorType
    prob: F32 = 0.0
    scale: F32 = 1.0
    seed: Ui32 = 0
    use_per_device_seed: Bool = True

    def infer(self) -> TensorType:
        """Return the operand's type."""
        expect(0 <= self.prob <= 1, f"prob is {self.prob}, not from 0 to 1")
        expect(self.input.dtype.is_float, f"input holds {self.input.dtype}, not real numbers")
        return self.input

    def dispatch(self) -> WorkEstimate:
        """Estimate random numbers and products for each tile."""
        work = [TileWork("rand", ()), TileWork("multiply", (0, 0))]
        return elementwise_estimate([self.input], self.input, work)
