"""Matmuls with and without bias."""

import math

from ttstack.ops.attributes import I64, Bool, DenseI64, Str
from ttstack.ops.base import Op
from ttstack.ops.loop_nest import LoopNest, TileOp
from ttstack.ops.loop_nests import broadcast_map, movement
from ttstack.ops.loops import Access, IndexingMap, Iterator, TileWork
from ttstack.ops.shapes import axes, broadcast, expect, promote
from ttstack.ops.types import TensorType, tiles
from ttstack.ops.work_estimate import WorkEstimate

ACTIVATIONS = ("gelu", "gelu_fast", "gelu_tanh", "hardsigmoid", "relu", "relu6", "sigmoid", "silu", "tanh")
"""Activations that matmul kernels can apply to their result, by mnemonic, as in `ttnn` 0.81.1."""


def check_activation(name: str) -> None:
    """Raise `ValueError` for an unsupported activation."""
    fits = not name or name in ACTIVATIONS
    expect(fits, f"activation '{name}' is none that kernels end in: {', '.join(ACTIVATIONS)}")


class Matmul(Op, mnemonic="matmul"):
    """`a @ b` over the last two dimensions, batch dimensions broadcast; vectors as in `torch.matmul`."""

    multiplied = (0, 1)
    computes = ("a", "b")
    scalar_as_vector = True
    op_code = "MatmulDeviceOperation"
    a: TensorType
    b: TensorType
    transpose_a: Bool = False
    transpose_b: Bool = False
    activation: Str = ""
    """A unary elementwise op on the result, by mnemonic."""

    @property
    def mnk(self) -> tuple[int, int, int]:
        """Rows, columns and inner extent of one matmul, in elements."""
        expect(self.a.rank > 0 and self.b.rank > 0, "operands must have at least one dimension")
        a = self.a.shape if self.a.rank > 1 else (1, *self.a.shape)
        b = self.b.shape if self.b.rank > 1 else (*self.b.shape, 1)
        m, k = (a[-1], a[-2]) if self.transpose_a and self.a.rank > 1 else (a[-2], a[-1])
        k_b, n = (b[-1], b[-2]) if self.transpose_b and self.b.rank > 1 else (b[-2], b[-1])
        expect(
            k == k_b,
            f"inner dimensions of a {list(self.a.shape)} and b {list(self.b.shape)} differ: {k} and {k_b}",
        )
        expect(k > 0, f"inner dimension of a {list(self.a.shape)} is 0")
        return m, n, k

    def infer(self) -> TensorType:
        """Return the type of the matmul."""
        check_activation(self.activation)
        return self.product

    @property
    def product(self) -> TensorType:
        """The type of `a @ b`: batch dimensions, then rows and columns."""
        m, n, _ = self.mnk
        rows = (m,) if self.a.rank > 1 else ()
        columns = (n,) if self.b.rank > 1 else ()
        batch = broadcast(self.a.shape[:-2], self.b.shape[:-2])
        return TensorType((*batch, *rows, *columns), promote(self.a, self.b))

    @property
    def adds_row(self) -> bool:
        """True if the bias, if any, is the same for all rows."""
        return True

    def flops(self) -> int:
        """Return two for each multiply-add."""
        return 2 * self.product.size * self.mnk[2]

    def dispatch(self) -> LoopNest | WorkEstimate:
        """Return parallel loops over batch, rows and columns, and a reduction over the inner dimension."""
        out, (m, n, k) = self.results[0], self.mnk
        batch = broadcast(self.a.shape[:-2], self.b.shape[:-2])
        rank = len(batch)
        row, column, inner = rank, rank + 1, rank + 2
        vector = self.a.rank < 2 or self.b.rank < 2
        nest = LoopNest(
            domain=(*batch, tiles(m), tiles(n), tiles(k)),
            iterators=(*[Iterator.PARALLEL] * (rank + 2), Iterator.REDUCTION),
            inputs=(
                self._operand_map(self.a, rank, (inner, row) if self.transpose_a else (row, inner)),
                self._operand_map(self.b, rank, (column, inner) if self.transpose_b else (inner, column)),
                *self._epilogue_maps(),
            ),
            outputs=(IndexingMap(tuple(range(out.rank))),)
            if not vector
            else (IndexingMap((*range(rank), row, column)),),
            body=self._body(),
        )
        return nest.estimate() if vector else nest

    def _operand_map(self, operand: TensorType, batch_rank: int, matrix: tuple[int, int]) -> IndexingMap:
        shift = batch_rank - (operand.rank - 2)
        batch = tuple(None if d == 1 else i + shift for i, d in enumerate(operand.shape[:-2]))
        return IndexingMap((*batch, *matrix), Access.MULTICAST)

    def _epilogue_maps(self) -> tuple[IndexingMap, ...]:
        return ()

    def _body(self) -> tuple[TileOp, ...]:
        inputs = len(self.operands)
        body = [TileOp("matmul", (0, 1, inputs))]
        if inputs == 3:
            body.append(TileOp("add", (inputs + len(body), 2)))
        if self.activation:
            body.append(TileOp(self.activation, (inputs + len(body),)))
        return tuple(body)


class Linear(Matmul, mnemonic="linear"):
    """`a @ b + bias`, with matmul and bias broadcast to each other."""

    computes = ("a", "b", "bias")
    bias: TensorType | None = None

    @property
    def adds_row(self) -> bool:
        """True without a bias, or if the bias has one number for each column."""
        return self.bias is None or (self.bias.rank > 0 and self.bias.size == self.bias.shape[-1] == self.mnk[1])

    def infer(self) -> TensorType:
        """Return the shape to which matmul and bias broadcast."""
        product = super().infer()
        return product if self.bias is None else product.with_shape(broadcast(product.shape, self.bias.shape))

    def dispatch(self) -> LoopNest | WorkEstimate:
        """Return the loops of the matmul; if the bias broadcasts it, an estimate, as it is split before the device."""
        if self.results[0].shape == self.product.shape:
            return super().dispatch()
        return movement(self.operands, self.results, "add")

    def _epilogue_maps(self) -> tuple[IndexingMap, ...]:
        return () if self.bias is None else (broadcast_map(self.bias, self.results[0]),)


class DotGeneral(Op, mnemonic="dot_general"):
    """StableHLO's general contraction; result dimensions are batch, free of lhs, free of rhs."""

    executable = False
    computes = ("lhs", "rhs")
    lhs: TensorType
    rhs: TensorType
    batch_dims_lhs: DenseI64
    contract_dims_lhs: DenseI64
    batch_dims_rhs: DenseI64
    contract_dims_rhs: DenseI64

    def free_dims(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Dimensions of lhs and of rhs that are neither batch nor contracted."""
        sides = (
            (self.lhs, (*self.batch_dims_lhs, *self.contract_dims_lhs), "lhs"),
            (self.rhs, (*self.batch_dims_rhs, *self.contract_dims_rhs), "rhs"),
        )
        taken = [set(axes(dims, side.rank, f"dimensions of {name}")) for side, dims, name in sides]
        left = tuple(d for d in range(self.lhs.rank) if d not in taken[0])
        return left, tuple(d for d in range(self.rhs.rank) if d not in taken[1])

    def infer(self) -> TensorType:
        """Return the batch extents, then the free ones of both sides."""
        left, right = self.free_dims()
        for what, a, b in (
            ("batch", self.batch_dims_lhs, self.batch_dims_rhs),
            ("contracted", self.contract_dims_lhs, self.contract_dims_rhs),
        ):
            x, y = [self.lhs.shape[d] for d in a], [self.rhs.shape[d] for d in b]
            expect(x == y, f"{what} dimensions of lhs {x} and rhs {y} differ")
            expect(what == "batch" or 0 not in x, f"contracted dimensions of lhs {x} have no elements")
        shape = [self.lhs.shape[d] for d in (*self.batch_dims_lhs, *left)] + [self.rhs.shape[d] for d in right]
        return TensorType(tuple(shape), promote(self.lhs, self.rhs))


class SparseMatmul(Op, mnemonic="sparse_matmul"):
    """Matmuls of the blocks whose `sparsity` is not 0; all other blocks are 0. `b` is [1, E, K, N].

    With `b` sparse, `a` is [A, B, M, K], `sparsity` has A * B * E entries, and the result is [A, B, 1, E, M, N]. With
    `a` sparse, `a` is [A, E, M, K], `sparsity` has A * E entries (A is 1 if both are sparse), and the result is [A, E,
    M, N].
    """

    multiplied = (0, 1)
    computes = ("a", "b")
    op_code = "SparseMatmulDeviceOperation"
    host_indices = ("sparsity",)
    a: TensorType
    b: TensorType
    sparsity: TensorType
    is_input_a_sparse: Bool = False
    is_input_b_sparse: Bool = True
    nnz: I64 | None = None
    """Number of nonzero entries of `sparsity`, if known; 0 also means unknown."""

    @property
    def blocks(self) -> tuple[int, ...]:
        """Shape of the result's blocks: all dimensions before rows and columns."""
        lead, count = self.a.shape[:2], self.b.shape[1]
        return lead if self.is_input_a_sparse else (*lead, 1, count)

    def infer(self) -> TensorType:
        """Return the shape of the blocks, followed by rows and columns."""
        a, b = self.a, self.b
        for name, t in (("a", a), ("b", b)):
            expect(t.rank == 4, f"{name} has rank {t.rank}, not 4")
        expect(self.is_input_a_sparse or self.is_input_b_sparse, "neither input is sparse: use matmul")
        expect(b.shape[1] > 0, f"b {list(b.shape)} has no experts")
        expect(b.shape[0] == 1, f"b {list(b.shape)} has a first dimension of {b.shape[0]}, not 1")
        expect(
            a.shape[3] == b.shape[2],
            f"inner dimensions of a {list(a.shape)} and b {list(b.shape)} differ: {a.shape[3]} and {b.shape[2]}",
        )
        if self.is_input_a_sparse:
            expect(a.shape[1] == b.shape[1], f"a has {a.shape[1]} blocks, b {b.shape[1]}")
        both = self.is_input_a_sparse and self.is_input_b_sparse
        expect(not both or a.shape[0] == 1, f"a {list(a.shape)} has a first dimension of {a.shape[0]}, not 1")
        count, entries = math.prod(self.blocks), self.sparsity.size
        expect(count == entries, f"sparsity has {entries} entries for {count} blocks")
        expect(0 <= (self.nnz or 0) <= count, f"nnz is {self.nnz}, there are {count} blocks")
        return TensorType((*self.blocks, a.shape[2], b.shape[3]), promote(a, b))

    def flops(self) -> int:
        """Return two for each multiply-add of the nonzero blocks; of all blocks if their number is unknown."""
        count = self.nnz or math.prod(self.blocks)
        return 2 * count * self.a.shape[2] * self.a.shape[3] * self.b.shape[3]

    def dispatch(self) -> WorkEstimate:
        """Estimate one matmul for each nonzero block."""
        m, k, n = self.a.shape[2], self.a.shape[3], self.b.shape[3]
        lead = (0,) * len(self.blocks)
        return WorkEstimate(
            domain=(self.nnz or math.prod(self.blocks), tiles(m), tiles(n), tiles(k)),
            iterators=(*[Iterator.PARALLEL] * 3, Iterator.REDUCTION),
            inputs=(
                IndexingMap((0, 0, 1, 3), Access.MULTICAST),
                IndexingMap((0, 0, 3, 2), Access.MULTICAST),
                IndexingMap((0,), Access.GATHER),
            ),
            outputs=(IndexingMap((*lead, 1, 2)),),
            body=(TileWork("matmul", (0, 1, 3)),),
        )
