"""Ops that exist only below the named ones: a dispatch with its own region, and changes of layout."""

from typing import Annotated

from ttstack.ops.attributes import ResultType, Spelling
from ttstack.ops.base import Op
from ttstack.ops.loop_nest import LoopNest
from ttstack.ops.shape import Movement
from ttstack.ops.shapes import expect
from ttstack.ops.types import TensorType


class Generic(Op, mnemonic="generic"):
    """A dispatch whose region is a small program of its own: what fusion makes of several elementwise ops."""

    op_code = "BinaryNgDeviceOperation"
    inputs: tuple[TensorType, ...]
    program: Annotated[LoopNest, Spelling("dispatch")]
    type: ResultType

    def infer(self) -> TensorType:
        """The type that the text says; there must be a map for each input, of loops that there are."""
        count = len(self.program.inputs)
        expect(count == len(self.inputs), f"has {count} input maps for {len(self.inputs)} inputs")
        fault = self.program.fault()
        expect(fault is None, f"{fault}")
        return self.type

    def flops(self) -> int:
        """One for each result element and tile op."""
        return self.type.size * len(self.program.body)

    def dispatch(self) -> LoopNest:
        """The region itself."""
        return self.program


class ToLayout(Movement, mnemonic="to_layout"):
    """The same values in another layout: memory, shards, tiles or element format."""

    op_code = "CopyDeviceOperation"
    takes_quantized = True
    input: TensorType

    def infer(self) -> TensorType:
        """The operand's type."""
        return self.input


class Deallocate(Movement, mnemonic="deallocate"):
    """The end of a tensor's buffer."""

    pure = False
    takes_quantized = True
    result_names = ()
    input: TensorType

    def infer(self) -> tuple[TensorType, ...]:
        """Nothing."""
        return ()
