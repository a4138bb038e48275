"""Tables in Tensor-Train form: their lookups, their making, and their way back to a dense table."""

from collections.abc import Mapping
from functools import cached_property
from typing import Any

from ttstack.ops.attributes import I64, Bool, Str, TensorTrainAttr
from ttstack.ops.base import Op
from ttstack.ops.embedding import check_offsets, check_table, count_bags
from ttstack.ops.loop_nest import LoopNest
from ttstack.ops.shapes import expect, integer
from ttstack.ops.tensor_train_chain import Chain
from ttstack.ops.tensor_train_generic import lookup
from ttstack.ops.tensor_train_stages import row_products
from ttstack.ops.tile_ops import TileOpSpec, register
from ttstack.ops.types import DType, TensorType
from ttstack.ops.work_estimate import WorkEstimate

MOST_ELEMENTS = 1 << 26
"""The largest table that `tensor_train_reconstruct` gives: it is for debugging, not for getting rid of the train."""


class TensorTrainDecompose(Op, mnemonic="tensor_train_decompose"):
    """The cores of a dense table, whose values must be known to the compiler: it computes them and the op is gone."""

    executable = False
    result_names = ("cores",)
    variadic_results = True
    weight: TensorType
    train: TensorTrainAttr

    def infer(self) -> tuple[TensorType, ...]:
        """One core for each pair of factors."""
        check_table(self.weight)
        plan, shape = self.train.plan, self.weight.shape[-2:]
        expect(shape == (plan.rows, plan.cols), f"weight {list(shape)} is not the train's {[plan.rows, plan.cols]}")
        expect(self.weight.dtype.is_float, f"weight is {self.weight.dtype}, no real number")
        return self.train.cores

    def flops(self) -> int:
        """None on the device."""
        return 0


class Contraction(Op):
    """An op on the cores of a train: products of tiles, one core after the other."""

    op_code = "EmbeddingsDeviceOperation"
    train: TensorTrainAttr

    @cached_property
    def chain(self) -> Chain:
        """What is picked, and through which cores."""
        raise NotImplementedError

    def check_cores(self, cores: tuple[TensorType, ...]) -> None:
        """Raise `ValueError` unless these are the cores of the train."""
        wanted = self.train.cores
        expect(len(cores) == len(wanted), f"has {len(cores)} cores, the train has {len(wanted)}")
        for i, (core, want) in enumerate(zip(cores, wanted, strict=True)):
            expect(core == want, f"core {i} is {core}, the train's is {want}")

    def flops(self) -> int:
        """Two for each multiply-add of the chain, row by row."""
        return 2 * self.chain.picked * row_products(self.train.plan)

    def dispatch(self) -> LoopNest | WorkEstimate:
        """The work of the chain."""
        return self.kernel_work()

    def kernel_work(self) -> WorkEstimate:
        """Rows are grouped by the slices that they share, which a nest does not say."""
        return self.chain.estimate(len(self.operands))


class TensorTrainLookup(Contraction, mnemonic="tensor_train_embedding"):
    """Rows of a table in Tensor-Train form: the index's shape, then the row's width.

    An index is a row of the table, `0 <= index < rows`: what the factors pad beyond them is refused.
    """

    indices: TensorType
    cores: tuple[TensorType, ...]

    def infer(self) -> TensorType:
        """Index shape and row width."""
        check_indices(self.indices)
        self.check_cores(self.cores)
        return TensorType((*self.indices.shape, self.train.plan.cols), self.train.dtype)

    @cached_property
    def chain(self) -> Chain:
        """One row for each index."""
        return Chain(self.train, self.indices.size)

    @cached_property
    def host_operands(self) -> frozenset[int]:
        """Indices, and the first core, of which rows are read."""
        return frozenset((0, 1))

    def dispatch(self) -> LoopNest:
        """Slices picked by the digits of each index, and a chain of products."""
        return lookup(self.train, self.operands, self.results[0])


class TensorTrainBagLookup(Contraction, mnemonic="tensor_train_embedding_bag"):
    """Rows of a table in Tensor-Train form pooled by bag, as `embedding_bag` does it for a dense table.

    After the cores come offsets, where the indices have one dimension, and weights of the samples, if there are any.
    """

    indices: TensorType
    inputs: tuple[TensorType, ...]
    mode: Str = "sum"
    include_last_offset: Bool = False
    padding_idx: I64 = -1

    def infer(self) -> TensorType:
        """Number of bags and row width."""
        check_indices(self.indices)
        count = len(self.train.cores)
        self.check_cores(self.inputs[:count])
        rest = self.inputs[count:]
        vectors = "offsets and per-sample weights" if self.has_offsets else "per-sample weights"
        expect(len(rest) <= 1 + self.has_offsets, f"has {len(rest)} operands after the cores, takes {vectors}")
        expect(len(rest) >= self.has_offsets, "indices of one dimension need offsets after the cores")
        offsets = rest[0] if self.has_offsets else None
        weights = rest[-1] if self.has_weights else None
        if offsets is not None:
            integer("offsets", offsets)
        bags = count_bags(self.indices, offsets, weights, self.mode, self.include_last_offset)
        expect(-1 <= self.padding_idx < self.train.plan.rows, f"padding_idx {self.padding_idx} is no row of the table")
        return TensorType((bags, self.train.plan.cols), self.train.dtype)

    def check_constants(self, values: Mapping[int, Any]) -> None:
        """Offsets ascend from 0."""
        after = 1 + len(self.train.cores)
        if self.has_offsets and after in values:
            check_offsets(values[after], self.indices)

    @property
    def has_offsets(self) -> bool:
        """Whether offsets divide the indices into bags."""
        return self.indices.rank == 1

    @property
    def has_weights(self) -> bool:
        """Whether each row is multiplied by a weight of its own."""
        return len(self.inputs) > len(self.train.cores) + self.has_offsets

    @cached_property
    def chain(self) -> Chain:
        """One row for each index, added up in bags."""
        return Chain(self.train, self.indices.size, pooled=True)

    @cached_property
    def host_operands(self) -> frozenset[int]:
        """Indices, the first core, of which rows are read, offsets and weights."""
        return frozenset((0, 1, *range(1 + len(self.train.cores), 1 + len(self.inputs))))

    def flops(self) -> int:
        """The chain, and one for each element of each row that is pooled."""
        return super().flops() + self.indices.size * self.train.plan.cols

    def dispatch(self) -> LoopNest:
        """Slices picked by the digits of each index, a chain of products, and the rows of a bag made one."""
        pool = {name: value for name, value in self.attributes().items() if name != "train"}
        return lookup(self.train, self.operands, self.results[0], pool)


register(
    TileOpSpec(
        "pool",
        1,
        "",
        "Rows of a bag made one; offsets say where bags start, without them they are alike.",
        optional=True,
        attributes={name: a for name, a in TensorTrainBagLookup.attribute_specs().items() if name != "train"},
    )
)


class TensorTrainReconstruct(Contraction, mnemonic="tensor_train_reconstruct"):
    """The dense table that the cores stand for, without the rows that the factors pad."""

    cores: tuple[TensorType, ...]

    def infer(self) -> TensorType:
        """Rows by columns; refused where that is too large to be meant."""
        self.check_cores(self.cores)
        table = self.train.table
        small = table.size <= MOST_ELEMENTS
        expect(small, f"gives {table}, more than {MOST_ELEMENTS:,} elements: look rows up instead")
        return table

    @cached_property
    def chain(self) -> Chain:
        """All rows; there are no indices."""
        return Chain(self.train, self.train.plan.rows, first=0)

    @cached_property
    def host_operands(self) -> frozenset[int]:
        """The first core, of which rows are read."""
        return frozenset((0,))


def check_indices(indices: TensorType) -> None:
    """Raise `ValueError` where indices are real numbers or truth values."""
    integer("indices", indices)
    expect(indices.dtype is not DType.I1, "indices are i1, not integers")
