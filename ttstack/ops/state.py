"""State that a program keeps between runs, such as the buffers of a PyTorch module."""

from ttstack.ops.attributes import ResultDType
from ttstack.ops.loop_nest import LoopNest
from ttstack.ops.movement import Movement
from ttstack.ops.shapes import expect
from ttstack.ops.tile_moves import DimSlice, take
from ttstack.ops.types import TensorType


class Assign(Movement, mnemonic="assign"):
    """Copy `input` into the buffer of `target`, which has that value from then on; not an op of tt-mlir.

    The op has no result; in passes it has one, the updated target.
    """

    op_code = "CopyDeviceOperation"
    pure = False
    optional_result = True
    mutates = ("target",)
    target: TensorType
    input: TensorType
    dtype: ResultDType | None = None

    def infer(self) -> tuple[TensorType, ...]:
        """Return no types, or the target's type if a result is declared; both operands must have one type."""
        expect(self.target == self.input, f"target is {self.target}, input {self.input}")
        return () if self.dtype is None else (self.target,)

    def written_elements(self) -> int:
        """Return the number of elements of the target."""
        return self.target.size


class Clone(Movement, mnemonic="clone"):
    """Copy `input` to a separate buffer, which later writes to `input` do not change."""

    op_code = "CloneOperation"
    input: TensorType

    def infer(self) -> TensorType:
        """Return the operand's type."""
        return self.input

    def moved_tiles(self) -> LoopNest | None:
        """Return the loops that copy every tile."""
        return take(self.input, self.input, [DimSlice()] * self.input.rank)
