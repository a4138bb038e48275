"""A matmul on memory."""

from dataclasses import dataclass, replace

from ttstack.mlir import func, ir

_PRODUCTS = frozenset(("linalg.matmul", "linalg.batch_matmul"))
ELEMENT_BYTES = {"f32": 4, "f64": 8}
_KEEPS_MEMORY = (
    *("arith.", "linalg.yield"),
    *(f"memref.{name}" for name in ("alloc", "collapse_shape", "expand_shape", "subview", "view")),
)
"""Prefixes of ops that neither read nor write memory."""


@dataclass(frozen=True)
class Matrices:
    """An operand: a batch of matrices, with offset and strides in elements."""

    value: ir.Value
    offset: int
    stack: int
    """Distance of consecutive matrices; 0 for a single matrix."""
    row: int
    transposed: bool = False

    @staticmethod
    def of(value: ir.Value, *, transposed: bool = False) -> "Matrices | None":
        """Return the operand; None if rows are not contiguous, or the layout is unknown."""
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
    """`c += a @ b`, for each matrix of a batch."""

    op: ir.Operation
    a: Matrices
    b: Matrices
    c: Matrices
    mnk: tuple[int, int, int]
    count: int
    element: str
    fill: ir.Operation | None = None
    """The op that sets the result to 0 before and does nothing else, if any."""

    @staticmethod
    def of(op: ir.Operation) -> "Gemm | None":
        """Return the matmul of an op; None if CBLAS does not support it."""
        if not all(isinstance(v.type, ir.MemRefType) for v in op.operands):
            return None
        element, *others = (str(ir.MemRefType(v.type).element_type) for v in op.operands)
        if element not in ELEMENT_BYTES or any(other != element for other in others):
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

    def erase(self) -> None:
        """Erase the op, and the fill of its result with zeros."""
        self.op.erase()
        if self.fill is not None:
            self.fill.erase()


def products(root: ir.Module | func.FuncOp) -> list[Gemm]:
    """Return all matmuls that CBLAS supports, each with the fill just before it."""
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

    root.operation.walk(visit)
    return found


def _fills_with_zeros(op: ir.Operation) -> bool:
    """Return True if an op fills a buffer with 0."""
    if op.name != "linalg.fill":
        return False
    made = op.operands[0].owner
    return not isinstance(made, ir.Block) and made.name == "arith.constant" and _is_zero(made.attributes["value"])


def _is_zero(number: ir.Attribute) -> bool:
    return isinstance(number, ir.FloatAttr) and str(number.value) == "0.0"


def _reads_across(op: ir.Operation, operand: int) -> bool:
    """Return True if the operand is transposed."""
    read = ir.AffineMapAttr(ir.ArrayAttr(op.attributes["indexing_maps"])[operand]).value
    place = 1 if operand == 0 else 0
    return str(read.results[len(read.results) - 2 + place]) != f"d{read.n_dims - 1}"
