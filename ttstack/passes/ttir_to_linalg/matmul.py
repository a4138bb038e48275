"""Matmuls as `linalg.matmul` and `linalg.batch_matmul`, which later passes tile or replace by library calls."""

from math import prod

import numpy as np

from ttstack.mlir import func, ir, linalg
from ttstack.ops.matmul import DotGeneral, Linear, Matmul, SparseMatmul
from ttstack.ops.types import TensorType
from ttstack.passes.ttir_to_linalg.eltwise import activate
from ttstack.passes.ttir_to_linalg.scalars import select, truth
from ttstack.passes.ttir_to_linalg.table import LoweringTable
from ttstack.passes.ttir_to_linalg.tensors import Dense, elementwise, full, loops_of, memory_type

LOWERINGS = LoweringTable()


@LOWERINGS("matmul")
def _matmul(op: Matmul, a: Dense, b: Dense) -> Dense:
    out = product(a.wide(), b.wide(), op.transpose_a, op.transpose_b).cast(op.results[0].dtype)
    return activate(out, op.activation).reshape(*op.results[0].shape)


@LOWERINGS("linear")
def _linear(op: Linear, a: Dense, b: Dense, bias: Dense | None = None) -> Dense:
    out = product(a.wide(), b.wide(), op.transpose_a, op.transpose_b)
    if bias is not None:
        out = elementwise(lambda x, y: x + y, [out.reshape(*_vectors(op)), bias.wide()], out.dtype)
    return activate(out, op.activation).cast(op.results[0].dtype).reshape(*op.results[0].shape)


def _vectors(op: Linear) -> tuple[int, ...]:
    return op.product.shape


@LOWERINGS("dot_general")
def _dot_general(op: DotGeneral, lhs: Dense, rhs: Dense) -> Dense:
    free_lhs = [d for d in range(lhs.rank) if d not in (*op.batch_dims_lhs, *op.contract_dims_lhs)]
    free_rhs = [d for d in range(rhs.rank) if d not in (*op.batch_dims_rhs, *op.contract_dims_rhs)]
    batch = [lhs.shape[d] for d in op.batch_dims_lhs]
    depth = prod(lhs.shape[d] for d in op.contract_dims_lhs)
    rows, columns = prod(lhs.shape[d] for d in free_lhs), prod(rhs.shape[d] for d in free_rhs)
    a = lhs.transpose([*op.batch_dims_lhs, *free_lhs, *op.contract_dims_lhs]).reshape(*batch, rows, depth)
    b = rhs.transpose([*op.batch_dims_rhs, *free_rhs, *op.contract_dims_rhs]).reshape(*batch, columns, depth)
    out = product(a.wide(), b.wide(), False, True)
    return out.cast(op.results[0].dtype).reshape(*op.results[0].shape)


@LOWERINGS("sparse_matmul")
def _sparse(op: SparseMatmul, a: Dense, b: Dense, sparsity: Dense) -> Dense:
    """Compute the matmuls of all blocks, expert by expert, and set blocks with sparsity 0 to 0."""
    (first, second, rows, depth), (_, experts, _, columns) = a.shape, b.shape
    if op.is_input_a_sparse:
        stacked, shape, order = a.transpose([1, 0, 2, 3]), (experts, first, rows, columns), [1, 0, 2, 3]
    else:
        stacked = a.reshape(1, *a.shape).broadcast((experts, *a.shape))
        shape, order = (experts, first, second, 1, rows, columns), [1, 2, 3, 0, 4, 5]
    factors = b.reshape(experts, depth, columns)
    made = product(stacked.reshape(experts, -1, depth).wide(), factors.wide()).reshape(*shape).transpose(order)
    wanted = sparsity.reshape(*op.blocks, 1, 1)
    return elementwise(lambda e, w: select(truth(w), e, 0), [made, wanted], op.results[0].dtype)


def product(a: Dense, b: Dense, transpose_a: bool = False, transpose_b: bool = False) -> Dense:
    """Compute `a @ b` over the last two axes; leading axes broadcast.

    Vectors are matrices of one row or column, which the result keeps.
    """
    if a.rank < 2:
        a, transpose_a = a.reshape(1, a.size), False
    if b.rank < 2:
        b, transpose_b = b.reshape(b.size, 1), False
    a, transpose_a = _orient(a, transpose_a)
    b, transpose_b = _orient(b, transpose_b)
    batch = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    if prod(b.shape[:-2]) == 1 and not transpose_a:
        rows = a.reshape(-1, a.shape[-1])
        out = _named(rows, b.reshape(*b.shape[-2:]), False, transpose_b)
        return out.reshape(*batch, a.shape[-2], out.shape[-1])
    if prod(batch) == 1:
        out = _named(a.reshape(*a.shape[-2:]), b.reshape(*b.shape[-2:]), transpose_a, transpose_b)
        return out.reshape(*batch, *out.shape)
    a, b = (x.broadcast((*batch, *x.shape[-2:])).reshape(-1, *x.shape[-2:]) for x in (a, b))
    out = _named(a, b, transpose_a, transpose_b)
    return out.reshape(*batch, *out.shape[1:])


def _orient(x: Dense, transpose: bool) -> tuple[Dense, bool]:
    """Return the source of a transpose of the last two axes, and whether the matmul must transpose it."""
    owner = x.value.owner
    if isinstance(owner, ir.Block) or owner.name != "linalg.transpose":
        return x, transpose
    order = [*range(x.rank - 2), x.rank - 1, x.rank - 2]
    if list(ir.DenseI64ArrayAttr(owner.attributes["permutation"])) != order:
        return x, transpose
    return x.transpose(order), not transpose


def _named(a: Dense, b: Dense, transpose_a: bool, transpose_b: bool) -> Dense:
    """Compute the matmul of matrices, or of equal batches, in a separate function until all become loops.

    Otherwise MLIR would fuse reshapes into the matmul, which tiling and libraries would no longer recognize.
    """
    m = a.shape[-1] if transpose_a else a.shape[-2]
    n = b.shape[-2] if transpose_b else b.shape[-1]
    shape = (*a.shape[:-2], m, n)
    extents = "x".join(map(str, (*shape, a.shape[-2] if transpose_a else a.shape[-1])))
    name = f"product.{extents}.{'tn'[not transpose_a]}{'tn'[not transpose_b]}.{a.dtype}"
    caller = ir.InsertionPoint.current.block.owner
    kind = memory_type(TensorType(shape, a.dtype))
    module = caller.operation.parent
    assert module is not None
    if name not in ir.SymbolTable(module):
        with ir.InsertionPoint(caller):
            made = func.FuncOp(name, ([a.value.type, b.value.type], [kind]), visibility="private")
        with ir.InsertionPoint(made.add_entry_block()):
            left, right = (Dense(v, x.shape, x.dtype) for v, x in zip(made.arguments, (a, b), strict=True))
            func.ReturnOp([_write(left, right, shape, transpose_a, transpose_b)])
    return Dense(func.CallOp([kind], name, [a.value, b.value]).results[0], shape, a.dtype)


def _write(a: Dense, b: Dense, shape: tuple[int, ...], transpose_a: bool, transpose_b: bool) -> ir.Value:
    """Build the matmul op."""
    rank = len(shape) + 1
    lead, (i, j, inner) = list(range(rank - 3)), range(rank - 3, rank)
    orders = (
        [*lead, *((inner, i) if transpose_a else (i, inner))],
        [*lead, *((j, inner) if transpose_b else (inner, j))],
        [*lead, i, j],
    )
    maps = [loops_of(rank, order) for order in orders]
    build = linalg.batch_matmul if lead else linalg.matmul
    start = full(shape, 0, a.dtype)
    made = build(a.value, b.value, outs=[start.value], indexing_maps=maps)  # pyright: ignore[reportArgumentType]
    return made if isinstance(made, ir.Value) else made.results[0]
