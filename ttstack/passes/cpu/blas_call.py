"""A matmul on memory as one call of CBLAS, or one call per thread."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, prod

from ttstack.dialects.built_ops import insert_before
from ttstack.mlir import arith, func, ir, llvm, memref
from ttstack.passes.cpu.divide_loops import in_parallel, in_turn, index
from ttstack.passes.cpu.gemm import ELEMENT_BYTES, Gemm, Matrices

_LETTERS = {"f32": "s", "f64": "d"}
_ROW_MAJOR, _PLAIN, _TRANSPOSED = 101, 111, 112
"""Values of the enumerations of CBLAS."""
_FEWEST_STEPS = 1 << 18
"""Minimum number of multiplications for several threads, as waking them takes microseconds."""
_GROUP = 16
"""Rows or columns per thread are a multiple of this, the block size of library kernels."""


@dataclass(frozen=True)
class BlasCall:
    """The call, or the loop around it, that computes `c += a @ b`."""

    gemm: Gemm
    prefix: str
    """The prefix of the library's function names."""
    threads: int = 1
    """Number of threads that share the matrices of a batch, or the rows or columns of one."""

    @property
    def signature(self) -> str:
        """The called function, with its argument types."""
        whole, matrix, element = ", ".join(["i32"] * 6), "!llvm.ptr, i32", self.gemm.element
        return f"{self._name}({whole}, {element}, {matrix}, {matrix}, {element}, {matrix})"

    @property
    def _name(self) -> str:
        return f"{self.prefix}{_LETTERS[self.gemm.element]}gemm"

    def write(self) -> None:
        """Insert the call in place of the op."""
        gemm = self.gemm
        shared = self.threads > 1 and gemm.count * prod(gemm.mnk) >= _FEWEST_STEPS
        with insert_before(gemm.op):
            if shared and gemm.count >= self.threads:
                in_parallel(gemm.count, self._matrix)
            elif shared and gemm.count == 1:
                self._parts()
            elif gemm.count == 1:
                self._matrix(index(0))
            else:
                in_turn(gemm.count, self._matrix)
        gemm.erase()

    def _matrix(self, at: ir.Value) -> None:
        """Compute one matrix of the batch."""
        gemm = self.gemm
        addresses = [_address(m, at, m.stack) for m in (gemm.a, gemm.b, gemm.c)]
        self._call([int_constant(extent) for extent in gemm.mnk], addresses)

    def _parts(self) -> None:
        """Split rows or columns of the result over threads; each thread reads the smaller operand completely."""
        a, b, c, extents = self.gemm.a, self.gemm.b, self.gemm.c, self.gemm.mnk
        columns = extents[1] >= extents[0]
        extent = extents[columns]
        size = _GROUP * ceil(extent / self.threads / _GROUP)
        steps = (0, _column(b), _column(c)) if columns else (_row(a), 0, _row(c))

        def compute(part: ir.Value) -> None:
            first = arith.muli(part, index(size))
            rest = arith.minsi(arith.subi(index(extent), first), index(size))
            sizes = [int_constant(extent) for extent in extents]
            sizes[columns] = arith.index_cast(ir.IntegerType.get_signless(32), rest)
            self._call(sizes, [_address(m, first, step) for m, step in zip((a, b, c), steps, strict=True)])

        in_parallel(ceil(extent / size), compute)

    def _call(self, extents: Sequence[ir.Value], addresses: Sequence[ir.Value]) -> None:
        gemm, (a, b, c) = self.gemm, addresses
        one, kept = (arith.constant(ir.Type.parse(gemm.element), x) for x in (1.0, float(gemm.fill is None)))
        orders = [int_constant(_TRANSPOSED if x.transposed else _PLAIN) for x in (gemm.a, gemm.b)]
        rows = [int_constant(x.row) for x in (gemm.a, gemm.b, gemm.c)]
        given = [int_constant(_ROW_MAJOR), *orders, *extents, one, a, rows[0], b, rows[1], kept, c, rows[2]]
        func.CallOp([], self._name, given)


def int_constant(number: int) -> ir.Value:
    """Return a constant of the C type `int`."""
    return arith.constant(ir.IntegerType.get_signless(32), number)


def _row(matrices: Matrices) -> int:
    """Return the distance of consecutive matrix rows in elements."""
    return 1 if matrices.transposed else matrices.row


def _column(matrices: Matrices) -> int:
    return matrices.row if matrices.transposed else 1


def _address(matrices: Matrices, at: ir.Value, step: int) -> ir.Value:
    """Return the address `at` times `step` elements after the start of an operand."""
    size = ELEMENT_BYTES[str(ir.MemRefType(matrices.value.type).element_type)]
    start = memref.extract_aligned_pointer_as_index(matrices.value)
    moved = arith.addi(start, index(matrices.offset * size))
    if step:
        moved = arith.addi(moved, arith.muli(at, index(step * size)))
    address = arith.index_cast(ir.IntegerType.get_signless(64), moved)
    return llvm.inttoptr(ir.Type.parse("!llvm.ptr"), address)
