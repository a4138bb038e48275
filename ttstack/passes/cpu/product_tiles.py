"""A matmul on memory as loops over tiles: panels of the right operand, rows of the left one, vectors.

A panel, the columns of one vector, is packed contiguously; a few rows at a time are multiplied with it and accumulated
in registers (Goto and van de Geijn, "Anatomy of High-Performance Matrix Multiplication", ACM TOMS 34, 2008).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from ttstack.dialects.built_ops import insert_before
from ttstack.mlir import arith, ir, memref, scf, vector
from ttstack.passes.cpu.divide_loops import in_parallel, in_turn, index
from ttstack.passes.cpu.gemm import ELEMENT_BYTES, Gemm, Matrices
from ttstack.passes.cpu.registers import RegisterTile


@dataclass(frozen=True)
class ProductTiles:
    """The loops of `c += a @ b`."""

    gemm: Gemm
    tile: RegisterTile
    threads: bool = False
    """Whether threads share the panels."""

    @cached_property
    def _width(self) -> int:
        return self.tile.row_bytes // ELEMENT_BYTES[self.gemm.element]

    @cached_property
    def _vector(self) -> ir.Type:
        return ir.Type.parse(f"vector<{self._width}x{self.gemm.element}>")

    def write(self) -> None:
        """Insert the loops in place of the op."""
        _, columns, _ = self.gemm.mnk
        loop = in_parallel if self.threads else in_turn

        def multiply(batch: ir.Value) -> None:
            for start, count, size in _parts(columns, self._width):
                loop(count, lambda at, s=start, n=size: self._panel(batch, _moved(at, self._width, s), n))

        with insert_before(self.gemm.op):
            in_turn(self.gemm.count, multiply)
        self.gemm.erase()

    def _panel(self, batch: ir.Value, first: ir.Value, size: int) -> None:
        """Compute the matmul with `size` columns from `first` on."""
        rows, _, depth = self.gemm.mnk
        right, whole = self.gemm.b, size == self._width
        panel = memref.alloc(ir.Type.parse(f"memref<{depth}x{self._width}x{self.gemm.element}>"), [], [])
        if not whole:
            in_turn(depth, lambda k: vector.store(self._zero(), panel, [k, index(0)]))

        def copy(k: ir.Value, x: ir.Value) -> None:
            memref.store(memref.load(right.value, _place(right, batch, k, arith.addi(first, x))), panel, [k, x])

        if right.transposed:
            in_turn(size, lambda x: in_turn(depth, lambda k: copy(k, x)))
        else:
            in_turn(depth, lambda k: in_turn(size, lambda x: copy(k, x)))
        for start, count, height in _parts(rows, self.tile.rows):
            in_turn(
                count,
                lambda at, s=start, n=height: self._tile(panel, batch, _moved(at, self.tile.rows, s), n, first, size),
            )

    def _tile(self, panel: ir.Value, batch: ir.Value, row: ir.Value, height: int, first: ir.Value, size: int) -> None:
        """Compute the matmul of `height` rows from `row` on, and add it to the result unless that is new."""
        left, result, fresh = self.gemm.a, self.gemm.c, self.gemm.fill is not None
        rows = [_moved(row, 1, r) for r in range(height)]
        loop = scf.ForOp(index(0), index(self.gemm.mnk[2]), index(1), [self._zero()] * height)
        with ir.InsertionPoint(loop.body):
            k = loop.induction_variable
            line = vector.load(self._vector, panel, [k, index(0)])
            factors = [vector.broadcast(self._vector, memref.load(left.value, _place(left, batch, r, k))) for r in rows]
            scf.YieldOp([vector.fma(f, line, so_far) for f, so_far in zip(factors, loop.inner_iter_args, strict=True)])
        for r, sums in zip(rows, loop.results, strict=True):
            if size == self._width:
                place = _place(result, batch, r, first)
                whole = sums if fresh else arith.addf(vector.load(self._vector, result.value, place), sums)
                vector.store(whole, result.value, place)
                continue
            for x in range(size):
                place = _place(result, batch, r, _moved(first, 1, x))
                one = vector.extract(sums, [], [x])
                whole = one if fresh else arith.addf(memref.load(result.value, place), one)
                memref.store(whole, result.value, place)

    def _zero(self) -> ir.Value:
        kind = ir.Type.parse(self.gemm.element)
        return vector.broadcast(self._vector, arith.constant(kind, 0.0))


def _parts(extent: int, size: int) -> Iterator[tuple[int, int, int]]:
    """Yield the start, number and size of parts of `size`, then of the remainder."""
    whole = extent // size
    if whole:
        yield 0, whole, size
    if extent % size:
        yield whole * size, 1, extent % size


def _place(matrices: Matrices, batch: ir.Value, row: ir.Value, column: ir.Value) -> Sequence[ir.Value]:
    """Return the indices of a matrix element, which may be stored transposed."""
    place = [column, row] if matrices.transposed else [row, column]
    return [batch, *place] if ir.MemRefType(matrices.value.type).rank > len(place) else place


def _moved(at: ir.Value, factor: int, offset: int) -> ir.Value:
    """Return `at * factor + offset`."""
    scaled = at if factor == 1 else arith.muli(at, index(factor))
    return arith.addi(scaled, index(offset)) if offset else scaled
