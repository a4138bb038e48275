"""Ops below the named ones: a dispatch with a region, and changes of layout."""

import math
from functools import cached_property
from typing import Annotated

from ttstack.ops.attributes import REGION, ResultType, Spelling, Str
from ttstack.ops.base import Op
from ttstack.ops.embedding import row_lookup
from ttstack.ops.flash import is_flash, read_attention
from ttstack.ops.loop_nest import LoopNest
from ttstack.ops.movement import Movement
from ttstack.ops.shapes import expect
from ttstack.ops.tensor_train import Contraction
from ttstack.ops.tensor_train_chain import Chain, read_chain
from ttstack.ops.types import TensorType, tile_shape
from ttstack.ops.work_estimate import WorkEstimate


class Generic(Op, mnemonic="generic"):
    """A dispatch with a region of tile ops, such as fused elementwise ops."""

    op_code = "BinaryNgDeviceOperation"
    inputs: tuple[TensorType, ...]
    program: Annotated[LoopNest, Spelling(REGION)]
    type: ResultType
    source: Str = ""
    """The op that it was created from, by mnemonic."""

    def infer(self) -> TensorType:
        """Return the declared type; raise `ValueError` unless each input has a map over existing loops."""
        count = len(self.program.inputs)
        expect(count == len(self.inputs), f"has {count} input maps for {len(self.inputs)} inputs")
        fault = self.program.fault()
        expect(fault is None, f"{fault}")
        units, there = self.program.units, math.prod(tile_shape(self.type.shape))
        moved = any(m.terms for m in self.program.maps)
        expect(not moved or units == there, f"moves {units} tiles to a result of {there}")
        return self.type

    @property
    def title(self) -> str:
        """The name of the op that it was created from."""
        return self.source or self.mnemonic

    def flops(self) -> int:
        """Return two for each multiply-add of matmuls; without matmuls, one for each element and arithmetic tile op."""
        if is_flash(self.program):
            return read_attention(self.program).flops(*self.operands[:3])
        return self.program.flops(self.operands + self.results)

    def dispatch(self) -> LoopNest:
        """Return the loop nest of the region."""
        return self.program

    def kernel_work(self) -> WorkEstimate | None:
        """Return the work of a Tensor-Train lookup, with rows grouped by slices, or the work that the nest implies."""
        if self.chain:
            return self.chain.estimate(len(self.operands))
        return row_lookup(self.operands[0], self.type.shape[-1]) if self.picks_rows else super().kernel_work()

    @property
    def picks_rows(self) -> bool:
        """True for a lookup in a dense table: each index selects a row, and nothing is computed."""
        nest = self.program
        return nest.index_bound is not None and nest.moves_only and [t.rank for t in self.operands[1:]] == [2]

    @cached_property
    def unsigned_operands(self) -> frozenset[int]:
        """The index operand of a dense lookup."""
        return frozenset({0}) if self.picks_rows else frozenset()

    @cached_property
    def chain(self) -> Chain | None:
        """Return the Tensor-Train lookup that this op is; raise `ValueError` for an unknown indexed computation."""
        if self.program.index_bound is None or self.picks_rows:
            return None
        return read_chain(self.program, self.operands, self.type)

    @cached_property
    def host_operands(self) -> frozenset[int]:
        """The operands of a lookup except the Tensor-Train slices."""
        if self.program.index_bound is None:
            return frozenset()
        factors = {op.args[1] for op in self.program.body if op.name == "matmul"}
        return frozenset(range(len(self.operands))) - factors


def chain_of(op: Op) -> Chain | None:
    """Return the Tensor-Train lookup of an op; None for other ops."""
    return op.chain if isinstance(op, Contraction | Generic) else None


class ToLayout(Movement, mnemonic="to_layout"):
    """Change the layout of a tensor: memory, sharding, tiling or element format."""

    op_code = "CopyDeviceOperation"
    takes_quantized = True
    input: TensorType

    def infer(self) -> TensorType:
        """Return the operand's type."""
        return self.input


class Deallocate(Movement, mnemonic="deallocate"):
    """Free a tensor's buffer."""

    pure = False
    takes_quantized = True
    result_names = ()
    input: TensorType

    def infer(self) -> tuple[TensorType, ...]:
        """Return no types: the op has no result."""
        return ()
