"""Memory placement in the input model. The compiler chooses placement itself, so the device never runs these ops."""

from ttstack.ops.attributes import I64, MemorySpace, ResultType
from ttstack.ops.base import Op
from ttstack.ops.movement import Movement
from ttstack.ops.shapes import expect
from ttstack.ops.types import TensorType


class Alloc(Op, mnemonic="alloc"):
    """Allocate memory of a type at an address, with undefined values."""

    executable = False
    address: I64
    size: I64
    memory_space: MemorySpace
    type: ResultType

    def infer(self) -> TensorType:
        """Return the declared result type."""
        expect(self.address >= 0, f"address {self.address} is negative")
        expect(self.size > 0, f"size is {self.size}, not positive")
        return self.type

    def flops(self) -> int:
        """Return 0: the op computes nothing."""
        return 0


class Dealloc(Op, mnemonic="dealloc"):
    """Free memory from `alloc`."""

    executable = False
    pure = False
    result_names = ()
    result: TensorType

    def infer(self) -> tuple[TensorType, ...]:
        """Return no types: the op has no result."""
        return ()

    def flops(self) -> int:
        """Return 0: the op computes nothing."""
        return 0


class TtnnMetalLayoutCast(Movement, mnemonic="ttnn_metal_layout_cast"):
    """View the same tensor in the layout of another dialect."""

    executable = False
    input: TensorType

    def infer(self) -> TensorType:
        """Return the operand's type; layouts are ignored."""
        return self.input
