"""Contractions. Weights keep their layout: `linear` transposes them."""

from functools import partial

from ttstack.dialects.ttir.build import cast, elementwise, permute_dims, reshape_to, slice_along, splat
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.types import read_type
from ttstack.frontends.torch_to_ttir.eltwise import compare, where
from ttstack.frontends.torch_to_ttir.table import TorchConversionTable
from ttstack.frontends.torch_to_ttir.torch_op import TorchOp
from ttstack.mlir import ir
from ttstack.ops.types import TILE, DType, TensorType, tiles

CONVERSIONS = TorchConversionTable()


@CONVERSIONS("linear", to="linear matmul")
def _linear(call: TorchOp) -> ir.Value:
    """Compute `x @ weight^T + bias`."""
    x, weight, bias = call.tensor(0), call.tensor(1), call.optional(2)
    if bias is None:
        return ttir.matmul(x, weight, transpose_b=True)
    return ttir.linear(x, weight, bias, transpose_b=True)


@CONVERSIONS("matmul", "mm", "bmm", "mv", "dot", "_int_mm", to="matmul full")
def _matmul(call: TorchOp) -> ir.Value:
    """Multiply matrices with broadcast batch dimensions; sums of no products are 0."""
    if not read_type(call.tensor(0).type).shape[-1]:
        return splat(0, call.result)
    return ttir.matmul(*[cast(call.tensor(i), call.result.dtype) for i in (0, 1)])


@CONVERSIONS("addmm", "baddbmm", to="linear matmul multiply add")
def _addmm(call: TorchOp) -> ir.Value:
    """Compute `beta * bias + alpha * (a @ b)`."""
    bias, a, b = (call.tensor(i) for i in range(3))
    beta, alpha = call.number(3), call.number(4)
    if alpha == beta == 1:
        return ttir.linear(a, b, bias)
    product = ttir.matmul(a, b)
    if alpha != 1:
        product = elementwise("multiply", alpha, product, result=call.result)
    if beta == 0:
        return product
    scaled = bias if beta == 1 else elementwise("multiply", beta, bias, result=call.result)
    return elementwise("add", scaled, product, result=call.result)


@CONVERSIONS("outer", to="multiply reshape")
def _outer(call: TorchOp) -> ir.Value:
    """Multiply every pair of elements."""
    rows, columns = call.result.shape
    a, b = reshape_to(call.tensor(0), (rows, 1)), reshape_to(call.tensor(1), (1, columns))
    return elementwise("multiply", a, b, result=call.result)


@CONVERSIONS("bilinear", to="linear matmul reshape multiply sum add")
def _bilinear(call: TorchOp) -> ir.Value:
    """Compute `sum_ij a_i * weight_oij * b_j`: the matmul with `a`, times `b`."""
    a, b, weight, bias = call.tensor(0), call.tensor(1), call.tensor(2), call.optional(3)
    outputs, first, second = read_type(weight.type).shape
    *lead, _ = call.result.shape
    by_first = reshape_to(permute_dims(weight, (1, 0, 2)), (first, outputs * second))
    products = reshape_to(ttir.matmul(a, by_first), (*lead, outputs, second))
    f = partial(elementwise, result=read_type(products.type))
    summed = ttir.sum(f("multiply", products, reshape_to(b, (*lead, 1, second))), keep_dim=False, dim_arg=(-1,))
    return summed if bias is None else elementwise("add", summed, bias, result=call.result)


@CONVERSIONS("addbmm", to="matmul sum multiply add")
def _addbmm(call: TorchOp) -> ir.Value:
    """Compute `beta * bias + alpha * sum(a @ b)` over the batch."""
    summed = ttir.sum(ttir.matmul(call.tensor(1), call.tensor(2)), keep_dim=False, dim_arg=(0,))
    f = partial(elementwise, result=call.result)
    return f("add", f("multiply", call.number(3), call.tensor(0)), f("multiply", call.number(4), summed))


@CONVERSIONS(
    "_grouped_mm",
    "torch.transformers.grouped_mm_fallback",
    to="sparse_matmul arange le lt sum eq typecast where pad slice_static permute reshape",
)
def _group(call: TorchOp) -> ir.Value:
    """Multiply tiles of rows, sorted by group, by the matrices of all groups among their rows.

    Each row selects its part of these results; rows after the last group are 0.
    """
    x, weights, ends = call.tensor(0), call.tensor(1), call.tensor(2)
    if read_type(x.type).rank != 2 or read_type(weights.type).rank != 3 or not (call.is_none(3) and call.is_none(4)):
        call.refuse("has no groups of rows, or a bias", "rows [n, k], matrices [groups, k, m] and ends are supported")
    (rows, width), (groups, _, columns) = read_type(x.type).shape, read_type(weights.type).shape
    blocks = tiles(rows)
    mine = reshape_to(_group_of_each_row(ends, groups, blocks * TILE), (blocks, 1, TILE, 1))
    chosen = compare("eq", mine, reshape_to(_count(groups), (1, groups, 1, 1)))
    met = ttir.sum(cast(chosen, DType.I32), keep_dim=False, dim_arg=(2, 3))
    whole = ttir.pad(x, padding=(0, blocks * TILE - rows, 0, 0), value=0.0) if rows % TILE else x
    products = ttir.sparse_matmul(
        reshape_to(whole, (1, blocks, TILE, width)),
        reshape_to(weights, (1, groups, width, columns)),
        reshape_to(met, (1, blocks, 1, groups)),
        nnz=min(blocks + groups - 1, blocks * groups, rows),
    )
    parts = reshape_to(products, (blocks, groups, TILE, columns))
    taken = ttir.sum(where(chosen, parts, 0, read_type(parts.type)), keep_dim=False, dim_arg=(1,))
    return slice_along(reshape_to(taken, (blocks * TILE, columns)), 0, 0, rows)


def _group_of_each_row(ends: ir.Value, groups: int, rows: int) -> ir.Value:
    """Return the number of groups that end before each row."""
    ended = compare("le", reshape_to(ends, (1, groups)), reshape_to(_count(rows), (rows, 1)))
    return ttir.sum(cast(ended, DType.I32), keep_dim=False, dim_arg=(1,))


def _count(count: int) -> ir.Value:
    return ttir.arange(result=TensorType((count,), DType.I32), start=0, end=count, step=1, arange_dimension=0)
