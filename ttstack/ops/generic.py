"""Ops that exist only below the named ones: a dispatch with its own region, and changes of layout."""

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
    """A dispatch whose region is a small program of its own: what fusion makes of several elementwise ops."""

    op_code = "BinaryNgDeviceOperation"
    inputs: tuple[TensorType, ...]
    program: Annotated[LoopNest, Spelling(REGION)]
    type: ResultType
    source: Str = ""
    """The op that it was made of, by mnemonic."""

    def infer(self) -> TensorType:
        """The type that the text says; there must be a map for each input, of loops that there are."""
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
        """The name of the op that it was made of."""
        return self.source or self.mnemonic

    def flops(self) -> int:
        """Two for each multiply-add of products; without any, one for each element and tile op that computes."""
        if is_flash(self.program):
            return read_attention(self.program).flops(*self.operands[:3])
        return self.program.flops(self.operands + self.results)

    def dispatch(self) -> LoopNest:
        """The region itself."""
        return self.program

    def kernel_work(self) -> WorkEstimate | None:
        """What a lookup does, where rows are grouped by the slices that they share; else what follows from the nest."""
        if self.chain:
            return self.chain.estimate(len(self.operands))
        return row_lookup(self.operands[0], self.type.shape[-1]) if self.picks_rows else super().kernel_work()

    @property
    def picks_rows(self) -> bool:
        """Whether it is a lookup in a dense table: each index picks a row, and nothing is computed."""
        nest = self.program
        return nest.index_bound is not None and nest.moves_only and [t.rank for t in self.operands[1:]] == [2]

    @cached_property
    def unsigned_operands(self) -> frozenset[int]:
        """Indices of a dense table."""
        return frozenset({0}) if self.picks_rows else frozenset()

    @cached_property
    def chain(self) -> Chain | None:
        """The lookup in a train that it is; raises `ValueError` where an index picks and it is none that there is."""
        if self.program.index_bound is None or self.picks_rows:
            return None
        return read_chain(self.program, self.operands, self.type)

    @cached_property
    def host_operands(self) -> frozenset[int]:
        """Where an index picks, all but the slices that rows are multiplied by."""
        if self.program.index_bound is None:
            return frozenset()
        factors = {op.args[1] for op in self.program.body if op.name == "matmul"}
        return frozenset(range(len(self.operands))) - factors


def chain_of(op: Op) -> Chain | None:
    """The lookup in Tensor-Train form that an op is; None where it is none."""
    return op.chain if isinstance(op, Contraction | Generic) else None


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
