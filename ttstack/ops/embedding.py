"""Lookups: rows of a table picked by index."""

from ttstack.ops.attributes import I64, Bool, Str
from ttstack.ops.base import Op
from ttstack.ops.dispatch import Access, Dispatch, Iterator, Map, TileOp
from ttstack.ops.shapes import expect
from ttstack.ops.types import TensorType, tiles


class Embedding(Op, mnemonic="embedding"):
    """`weight[input]`: the result has the index's shape, then the row's width."""

    op_code = "EmbeddingsDeviceOperation"
    host_indices = ("input", "weight")
    input: TensorType
    weight: TensorType

    def infer(self) -> TensorType:
        """Index shape and row width; leading dimensions of extent 1 of the table do not count."""
        _check_table(self.weight)
        return self.weight.with_shape((*self.input.shape, self.weight.shape[-1]))

    def flops(self) -> int:
        """None."""
        return 0

    def dispatch(self) -> Dispatch:
        """One unit of work for 32 indices; rows come from wherever they lie."""
        width = self.weight.shape[-1]
        return Dispatch(
            domain=(tiles(self.input.size), tiles(width)),
            iterators=(Iterator.PARALLEL, Iterator.PARALLEL),
            inputs=(Map((0,), Access.GATHER), Map((0, 1), Access.INDIRECT)),
            outputs=(Map((0, 1), Access.GATHER),),
            body=(TileOp("copy", (1,)),),
            exact=False,
        )


class EmbeddingBag(Op, mnemonic="embedding_bag"):
    """Rows picked and pooled by bag, as `torch.nn.functional.embedding_bag`.

    Bag `i` holds the indices from `offsets[i]` up to the next offset; without offsets, `input` has a row of
    indices for each bag. Empty bags give 0. Indices equal to `padding_idx` do not count.
    """

    op_code = "EmbeddingsDeviceOperation"
    host_indices = ("input", "weight", "offsets", "per_sample_weights")
    input: TensorType
    weight: TensorType
    offsets: TensorType | None = None
    per_sample_weights: TensorType | None = None
    mode: Str = "sum"
    include_last_offset: Bool = False
    padding_idx: I64 = -1

    def infer(self) -> TensorType:
        """Number of bags and row width."""
        _check_table(self.weight)
        expect(self.mode in ("sum", "mean", "max"), f"mode is {self.mode!r}, not sum, mean or max")
        rank = 2 if self.offsets is None else 1
        expect(self.input.rank == rank, f"input has rank {self.input.rank}, needs {rank} here")
        weights = self.per_sample_weights
        if weights is not None:
            expect(self.mode == "sum", f"per_sample_weights need mode 'sum', not {self.mode!r}")
            same = weights.shape == self.input.shape
            expect(same, f"per_sample_weights {list(weights.shape)} differ from input {list(self.input.shape)}")
        if self.offsets is None:
            bags = self.input.shape[0]
        else:
            expect(self.offsets.rank == 1, f"offsets have rank {self.offsets.rank}, not 1")
            bags = self.offsets.shape[0] - int(self.include_last_offset)
        return self.weight.with_shape((bags, self.weight.shape[-1]))

    def flops(self) -> int:
        """One for each element of each row that is pooled."""
        return self.input.size * self.weight.shape[-1]

    def dispatch(self) -> Dispatch:
        """One unit of work for 32 bags; the rows of a bag follow one another."""
        bags, width = self.results[0].shape
        depth = -(-self.input.size // max(bags, 1))
        vectors = len(self.operands) - 2
        return Dispatch(
            domain=(tiles(bags), tiles(width), depth),
            iterators=(Iterator.PARALLEL, Iterator.PARALLEL, Iterator.REDUCTION),
            inputs=(
                Map((0, 2), Access.GATHER),
                Map((0, 1, 2), Access.INDIRECT),
                *(Map((0,), Access.GATHER) for _ in range(vectors)),
            ),
            outputs=(Map((0, 1), Access.GATHER),),
            body=(TileOp("add", (1,)),),
            exact=False,
        )


class EmbeddingBackward(Op, mnemonic="embedding_backward"):
    """Rows of `in_gradient` added to the rows of the table that `input` picked; of `weight`, only the type is used."""

    op_code = "EmbeddingsDeviceOperation"
    host_indices = ("input",)
    input: TensorType
    weight: TensorType
    in_gradient: TensorType

    def infer(self) -> TensorType:
        """The table's type."""
        _check_table(self.weight)
        width, count = self.weight.shape[-1], self.input.size
        fits = self.in_gradient.shape[-1:] == (width,) and self.in_gradient.size == count * width
        expect(fits, f"in_gradient {list(self.in_gradient.shape)} does not hold {count} rows of {width}")
        return self.weight

    def flops(self) -> int:
        """One for each element of the gradient."""
        return self.in_gradient.size

    def dispatch(self) -> Dispatch:
        """Each core has rows of the table, and adds to them what the indices pick."""
        rows, width = (tiles(d) for d in self.weight.shape[-2:])
        added = max(tiles(self.input.size), 1) / max(rows, 1)
        return Dispatch(
            domain=(rows, width),
            iterators=(Iterator.PARALLEL, Iterator.PARALLEL),
            inputs=(Map((0,), Access.GATHER), Map(()), Map((0, 1), Access.GATHER)),
            outputs=(Map((0, 1)),),
            body=(TileOp("add", (2,), added),),
            exact=False,
        )


def _check_table(weight: TensorType) -> None:
    matrix = weight.rank >= 2 and all(d == 1 for d in weight.shape[:-2])
    expect(matrix, f"weight {list(weight.shape)} is not a matrix of rows")
