"""One matrix product on memory, and the call of CBLAS that computes it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ttstack.mlir import func, ir

_PRODUCTS = frozenset(("linalg.matmul", "linalg.batch_matmul"))
_LETTERS = {"f32": "s", "f64": "d"}
ELEMENT_BYTES = {"f32": 4, "f64": 8}
_KEEPS_MEMORY = (
    *("arith.", "linalg.yield"),
    *(f"memref.{name}" for name in ("alloc", "collapse_shape", "expand_shape", "subview", "view")),
)
"""How ops begin that neither read nor write memory."""
_ROW_MAJOR, _PLAIN, _TRANSPOSED = 101, 111, 112
"""Values of CBLAS' enumerations."""


@dataclass(frozen=True)
class Matrices:
    """An operand: a stack of matrices, in elements from where its memory begins."""

    value: ir.Value
    offset: int
    stack: int
    """From one matrix to the next; 0 where there is one."""
    row: int
    transposed: bool = False

    @staticmethod
    def of(value: ir.Value, *, transposed: bool = False) -> "Matrices | None":
        """The operand; None where rows are not dense, or where they lie is not known."""
        kind = ir.MemRefType(value.type)
        strides, offset = kind.get_strides_and_offset()
        dynamic = ir.MemRefType.get_dynamic_stride_or_offset()
        if len(strides) < 2 or not kind.has_static_shape:
            return None
        *lead, row, column = strides
        if dynamic in (*strides, offset) or offset < 0 or min(strides) < 0:
            return None
        if column != 1 and kind.shape[-1] != 1:
            return None
        return Matrices(value, offset, lead[0] if lead else 0, max(row, kind.shape[-1], 1), transposed)


@dataclass(frozen=True)
class Gemm:
    """`c += a @ b`, for each matrix of a stack."""

    op: ir.Operation
    a: Matrices
    b: Matrices
    c: Matrices
    mnk: tuple[int, int, int]
    count: int
    element: str
    fill: ir.Operation | None = None
    """What makes the result 0 before, and does nothing else."""

    @staticmethod
    def of(op: ir.Operation) -> "Gemm | None":
        """The product; None where CBLAS has none."""
        if not all(isinstance(v.type, ir.MemRefType) for v in op.operands):
            return None
        element, *others = (str(ir.MemRefType(v.type).element_type) for v in op.operands)
        if element not in _LETTERS or any(other != element for other in others):
            return None
        left, right = (_reads_across(op, i) for i in range(2))
        a = Matrices.of(op.operands[0], transposed=left)
        b = Matrices.of(op.operands[1], transposed=right)
        c = Matrices.of(op.operands[2])
        if a is None or b is None or c is None:
            return None
        shape, out = ir.MemRefType(op.operands[0].type).shape, ir.MemRefType(op.operands[2].type).shape
        inner = shape[-2] if left else shape[-1]
        count = out[0] if len(out) > 2 else 1
        return Gemm(op, a, b, c, (out[-2], out[-1], inner), count, element)

    def name(self, prefix: str) -> str:
        """The function that is called."""
        return f"{prefix}{_LETTERS[self.element]}gemm"

    def erase(self) -> None:
        """Take the op away, and the zeros that it was added to."""
        self.op.erase()
        if self.fill is not None:
            self.fill.erase()

    def replace(self, prefix: str) -> None:
        """Put the call, in a loop where there is a stack, in the place of the op."""
        from ttstack.mlir import arith, scf

        index = ir.IndexType.get()
        with ir.InsertionPoint(self.op), self.op.location:
            zero = arith.constant(index, 0)
            if self.count == 1:
                self._call(prefix, zero)
            else:
                loop = scf.ForOp(zero, arith.constant(index, self.count), arith.constant(index, 1))
                with ir.InsertionPoint(loop.body):
                    self._call(prefix, loop.induction_variable)
                    scf.YieldOp([])
        self.erase()

    def _call(self, prefix: str, at: ir.Value) -> None:
        a, b, c = (self._pointer(m, at) for m in (self.a, self.b, self.c))
        m, n, k = map(_whole, self.mnk)
        one, kept = (_real(x, self.element) for x in (1.0, float(self.fill is None)))
        orders = [_whole(_TRANSPOSED if x.transposed else _PLAIN) for x in (self.a, self.b)]
        rows = [_whole(x.row) for x in (self.a, self.b, self.c)]
        given = [_whole(_ROW_MAJOR), *orders, m, n, k, one, a, rows[0], b, rows[1], kept, c, rows[2]]
        func.CallOp([], self.name(prefix), given)

    def _pointer(self, matrices: Matrices, at: ir.Value) -> ir.Value:
        """Where a matrix of the stack begins."""
        from ttstack.mlir import arith, llvm, memref

        index, size = ir.IndexType.get(), ELEMENT_BYTES[self.element]
        start = memref.extract_aligned_pointer_as_index(matrices.value)
        moved = arith.addi(start, arith.constant(index, matrices.offset * size))
        if matrices.stack:
            moved = arith.addi(moved, arith.muli(at, arith.constant(index, matrices.stack * size)))
        whole = arith.index_cast(ir.IntegerType.get_signless(64), moved)
        return llvm.inttoptr(ir.Type.parse("!llvm.ptr"), whole)


def products(module: ir.Module) -> list[Gemm]:
    """All products of a module that CBLAS has, each with the zeros that it is added to where they stand just before."""
    found: list[Gemm] = []
    fill: ir.Operation | None = None

    def visit(op: ir.Operation) -> ir.WalkResult:
        nonlocal fill
        if op.name in _PRODUCTS and (gemm := Gemm.of(op)) is not None:
            fresh = fill is not None and fill.block == op.block and fill.operands[1] == op.operands[2]
            found.append(replace(gemm, fill=fill if fresh else None))
        if not op.name.startswith(_KEEPS_MEMORY):
            fill = op if _fills_with_zeros(op) else None
        return ir.WalkResult.ADVANCE

    module.operation.walk(visit)
    return found


def declare(module: ir.Module, functions: Sequence[tuple[str, str]]) -> None:
    """Say what functions of these names take, with their element types."""
    for name, element in functions:
        whole, pointer = ", ".join(["i32"] * 6), "!llvm.ptr, i32"
        taken = f"{whole}, {element}, {pointer}, {pointer}, {element}, {pointer}"
        parsed = ir.Module.parse(f"func.func private @{name}({taken})")
        (function,) = parsed.body.operations
        function.detach_from_parent()
        module.body.append(function)


def _fills_with_zeros(op: ir.Operation) -> bool:
    """Whether an op makes all of a buffer 0."""
    if op.name != "linalg.fill":
        return False
    made = op.operands[0].owner
    return not isinstance(made, ir.Block) and made.name == "arith.constant" and _is_zero(made.attributes["value"])


def _is_zero(number: ir.Attribute) -> bool:
    return isinstance(number, ir.FloatAttr) and str(number.value) == "0.0"


def _reads_across(op: ir.Operation, operand: int) -> bool:
    """Whether the operand's columns are rows of the product, or its rows columns."""
    read = ir.AffineMapAttr(ir.ArrayAttr(op.attributes["indexing_maps"])[operand]).value
    place = 1 if operand == 0 else 0
    return str(read.results[len(read.results) - 2 + place]) != f"d{read.n_dims - 1}"


def _whole(number: int) -> ir.Value:
    from ttstack.mlir import arith

    return arith.constant(ir.IntegerType.get_signless(32), number)


def _real(number: float, element: str) -> ir.Value:
    from ttstack.mlir import arith

    return arith.constant(ir.Type.parse(element), number)
