"""Where the source says that tensors lie. The compiler chooses that itself, so none of these ops reaches the device."""

from ttstack.ops.attributes import I64, MemorySpace, ResultType
from ttstack.ops.base import Op
from ttstack.ops.movement import Movement
from ttstack.ops.shapes import expect
from ttstack.ops.types import TensorType


class Alloc(Op, mnemonic="alloc"):
    """Memory of a type at an address; its values are not defined."""

    executable = False
    address: I64
    size: I64
    memory_space: MemorySpace
    type: ResultType

    def infer(self) -> TensorType:
        """The type that the text says."""
        expect(self.address >= 0, f"address {self.address} is negative")
        expect(self.size > 0, f"size is {self.size}, not positive")
        return self.type

    def flops(self) -> int:
        """None."""
        return 0


class Dealloc(Op, mnemonic="dealloc"):
    """The end of memory that `alloc` gave."""

    executable = False
    pure = False
    result_names = ()
    result: TensorType

    def infer(self) -> tuple[TensorType, ...]:
        """Nothing."""
        return ()

    def flops(self) -> int:
        """None."""
        return 0


class TtnnMetalLayoutCast(Movement, mnemonic="ttnn_metal_layout_cast"):
    """The same tensor, seen in the layout of another dialect."""

    executable = False
    input: TensorType

    def infer(self) -> TensorType:
        """The operand's type; layouts do not count."""
        return self.input
