"""Ops on tables in Tensor-Train form: lookup, decomposition, and reconstruction of a dense table."""

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
"""The largest table that `tensor_train_reconstruct` returns; the op is for debugging."""


class TensorTrainDecompose(Op, mnemonic="tensor_train_decompose"):
    """Decompose a constant dense table into cores at compile time."""

    executable = False
    result_names = ("cores",)
    variadic_results = True
    weight: TensorType
    train: TensorTrainAttr

    def infer(self) -> tuple[TensorType, ...]:
        """Return the type of a core for each pair of factors."""
        check_table(self.weight)
        plan, shape = self.train.plan, self.weight.shape[-2:]
        expect(shape == (plan.rows, plan.cols), f"weight {list(shape)} is not the train's {[plan.rows, plan.cols]}")
        expect(self.weight.dtype.is_float, f"weight is {self.weight.dtype}, no real number")
        return self.train.cores

    def flops(self) -> int:
        """Return 0: the device does nothing."""
        return 0


class Contraction(Op):
    """An op that multiplies the cores of a Tensor-Train, one core after the other."""

    op_code = "EmbeddingsDeviceOperation"
    train: TensorTrainAttr

    @cached_property
    def chain(self) -> Chain:
        """The lookups and the cores that they go through."""
        raise NotImplementedError

    def check_cores(self, cores: tuple[TensorType, ...]) -> None:
        """Raise `ValueError` unless these are the cores of the train."""
        wanted = self.train.cores
        expect(len(cores) == len(wanted), f"has {len(cores)} cores, the train has {len(wanted)}")
        for i, (core, want) in enumerate(zip(cores, wanted, strict=True)):
            expect(core == want, f"core {i} is {core}, the train's is {want}")

    def flops(self) -> int:
        """Return two for each multiply-add of the chain, row by row."""
        return 2 * self.chain.picked * row_products(self.train.plan)

    def dispatch(self) -> LoopNest | WorkEstimate:
        """Estimate the work of the chain."""
        return self.kernel_work()

    def kernel_work(self) -> WorkEstimate:
        """Estimate the work with rows grouped by the slices that they share, which a nest cannot express."""
        return self.chain.estimate(len(self.operands))


class TensorTrainLookup(Contraction, mnemonic="tensor_train_embedding"):
    """Look up rows of a table in Tensor-Train form; the result has the indices' shape followed by the row width.

    Indices are table rows, `0 <= index < rows`; rows of padding are invalid.
    """

    indices: TensorType
    cores: tuple[TensorType, ...]

    def infer(self) -> TensorType:
        """Return the shape of the indices with the row width appended."""
        check_indices(self.indices)
        self.check_cores(self.cores)
        return TensorType((*self.indices.shape, self.train.plan.cols), self.train.dtype)

    @cached_property
    def chain(self) -> Chain:
        """The lookup of one row for each index."""
        return Chain(self.train, self.indices.size)

    @cached_property
    def host_operands(self) -> frozenset[int]:
        """The indices, and the first core, whose rows are gathered."""
        return frozenset((0, 1))

    def dispatch(self) -> LoopNest:
        """Return the nest that gathers slices by the digits of each index and multiplies them."""
        return lookup(self.train, self.operands, self.results[0])


class TensorTrainBagLookup(Contraction, mnemonic="tensor_train_embedding_bag"):
    """Look up rows of a table in Tensor-Train form and reduce them by bag, as `embedding_bag` does for a dense table.

    After the cores come offsets, if the indices have one dimension, and optional weights of the samples.
    """

    indices: TensorType
    inputs: tuple[TensorType, ...]
    mode: Str = "sum"
    include_last_offset: Bool = False
    padding_idx: I64 = -1

    def infer(self) -> TensorType:
        """Return the number of bags by the row width."""
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
        expect(
            -1 <= self.padding_idx < self.train.plan.rows, f"padding_idx {self.padding_idx} is not a row of the table"
        )
        return TensorType((bags, self.train.plan.cols), self.train.dtype)

    def check_constants(self, values: Mapping[int, Any]) -> None:
        """Raise `ValueError` unless offsets ascend from 0."""
        after = 1 + len(self.train.cores)
        if self.has_offsets and after in values:
            check_offsets(values[after], self.indices)

    @property
    def has_offsets(self) -> bool:
        """True if offsets divide the indices into bags."""
        return self.indices.rank == 1

    @property
    def has_weights(self) -> bool:
        """True if each row is multiplied by its own weight."""
        return len(self.inputs) > len(self.train.cores) + self.has_offsets

    @cached_property
    def chain(self) -> Chain:
        """The lookup of one row for each index, added up in bags."""
        return Chain(self.train, self.indices.size, pooled=True)

    @cached_property
    def host_operands(self) -> frozenset[int]:
        """The indices, the first core, whose rows are gathered, offsets and weights."""
        return frozenset((0, 1, *range(1 + len(self.train.cores), 1 + len(self.inputs))))

    def flops(self) -> int:
        """Return the operations of the chain, and one for each element of each row in a bag."""
        return super().flops() + self.indices.size * self.train.plan.cols

    def dispatch(self) -> LoopNest:
        """Return the nest that gathers slices by index digits, multiplies them, and reduces the rows of each bag."""
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
    """Reconstruct the dense table of the cores, without padding rows."""

    cores: tuple[TensorType, ...]

    def infer(self) -> TensorType:
        """Return rows by columns; raise `ValueError` if that is above the maximum."""
        self.check_cores(self.cores)
        table = self.train.table
        small = table.size <= MOST_ELEMENTS
        expect(small, f"gives {table}, more than {MOST_ELEMENTS:,} elements: look rows up instead")
        return table

    @cached_property
    def chain(self) -> Chain:
        """The lookup of all rows, without indices."""
        return Chain(self.train, self.train.plan.rows, first=0)

    @cached_property
    def host_operands(self) -> frozenset[int]:
        """The first core, whose rows are gathered."""
        return frozenset((0,))


def check_indices(indices: TensorType) -> None:
    """Raise `ValueError` if indices are real numbers or bools."""
    integer("indices", indices)
    expect(indices.dtype is not DType.I1, "indices are i1, not integers")
