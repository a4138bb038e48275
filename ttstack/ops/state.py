"""What a program keeps from one run to the next, such as the buffers of a PyTorch module."""

from ttstack.ops.attributes import ResultDType
from ttstack.ops.loop_nest import LoopNest
from ttstack.ops.movement import Movement
from ttstack.ops.shapes import expect
from ttstack.ops.tile_moves import DimSlice, take
from ttstack.ops.types import TensorType


class Assign(Movement, mnemonic="assign"):
    """All of `input` into the buffer of `target`, which has that value from then on; not an op of tt-mlir's.

    The op has no result; in passes it has one, which is the target afterwards.
    """

    op_code = "CopyDeviceOperation"
    pure = False
    optional_result = True
    mutates = ("target",)
    target: TensorType
    input: TensorType
    dtype: ResultDType | None = None

    def infer(self) -> tuple[TensorType, ...]:
        """Nothing, or the target's type where the text asks for it; both operands must be of one type."""
        expect(self.target == self.input, f"target is {self.target}, input {self.input}")
        return () if self.dtype is None else (self.target,)

    def written_elements(self) -> int:
        """Every element of the target."""
        return self.target.size


class Clone(Movement, mnemonic="clone"):
    """`input` as it is now, in a buffer of its own, which later writes to that of `input` do not reach."""

    op_code = "CloneOperation"
    input: TensorType

    def infer(self) -> TensorType:
        """The operand's type."""
        return self.input

    def moved_tiles(self) -> LoopNest | None:
        """Every tile, where it was."""
        return take(self.input, self.input, [DimSlice()] * self.input.rank)
