"""Contractions, all of which end in one BLAS call where the operands allow it."""

from math import prod

import numpy as np

from ttstack_runtime.kernels import eltwise
from ttstack_runtime.kernels.table import Array, KernelTable

KERNELS = KernelTable()


@KERNELS
def matmul(a: Array, b: Array, *, transpose_a: bool = False, transpose_b: bool = False, activation: str = "") -> Array:
    """`a @ b` over the last two axes, leading axes broadcast; `activation` names a unary elementwise op."""
    return _activate(_product(_orient(a, transpose_a), _orient(b, transpose_b)), activation)


@KERNELS
def linear(
    a: Array,
    b: Array,
    bias: Array | None = None,
    *,
    transpose_a: bool = False,
    transpose_b: bool = False,
    activation: str = "",
) -> Array:
    """`a @ b + bias`, all broadcast; `activation` names a unary elementwise op."""
    out = _product(_orient(a, transpose_a), _orient(b, transpose_b))
    if bias is not None:
        fits = np.broadcast_shapes(out.shape, bias.shape) == out.shape
        out = np.add(out, bias, out=out if fits and out.ndim else None)
    return _activate(out, activation)


@KERNELS
def dot_general(
    lhs: Array,
    rhs: Array,
    *,
    batch_dims_lhs: tuple[int, ...],
    contract_dims_lhs: tuple[int, ...],
    batch_dims_rhs: tuple[int, ...],
    contract_dims_rhs: tuple[int, ...],
) -> Array:
    """StableHLO's `dot_general`: the result's axes are batch, free of `lhs`, free of `rhs`."""
    free_lhs = _others(lhs.ndim, batch_dims_lhs + contract_dims_lhs)
    free_rhs = _others(rhs.ndim, batch_dims_rhs + contract_dims_rhs)
    batch = [lhs.shape[d] for d in batch_dims_lhs]
    depth = prod(lhs.shape[d] for d in contract_dims_lhs)
    rows, columns = [lhs.shape[d] for d in free_lhs], [rhs.shape[d] for d in free_rhs]
    a = lhs.transpose(*batch_dims_lhs, *free_lhs, *contract_dims_lhs).reshape(*batch, prod(rows), depth)
    b = rhs.transpose(*batch_dims_rhs, *contract_dims_rhs, *free_rhs).reshape(*batch, depth, prod(columns))
    return _product(a, b).reshape((*batch, *rows, *columns))


@KERNELS
def sparse_matmul(
    a: Array,
    b: Array,
    sparsity: Array,
    *,
    is_input_a_sparse: bool = False,
    is_input_b_sparse: bool = True,  # noqa: ARG001 where `a` is not sparse, `b` is
    nnz: int | None = None,  # noqa: ARG001 what is not 0 says the same
) -> Array:
    """Products of the blocks where `sparsity` is not 0, zeros elsewhere: [A, E, M, N], or [A, B, 1, E, M, N]."""
    lead, (count, columns) = a.shape[:2], (b.shape[1], b.shape[3])
    blocks = lead if is_input_a_sparse else (*lead, 1, count)
    out = np.zeros((*blocks, a.shape[2], columns), dtype=np.result_type(a, b))
    wanted = sparsity.reshape(lead if is_input_a_sparse else (*lead, count)) != 0
    for expert in range(count):
        at = np.nonzero(wanted[..., expert])
        rows = a[at[0], expert] if is_input_a_sparse else a[at]
        place = (at[0], expert) if is_input_a_sparse else (*at, 0, expert)
        out[place] = _product(rows, b[0, expert])
    return out


def _others(rank: int, dims: tuple[int, ...]) -> list[int]:
    return [d for d in range(rank) if d not in dims]


def _orient(x: Array, transpose: bool) -> Array:
    return x.swapaxes(-1, -2) if transpose and x.ndim > 1 else x


def _product(a: Array, b: Array) -> Array:
    """`np.matmul` that folds the leading axes of `a` into its rows where `b` is one matrix."""
    if b.ndim == 2 and a.ndim > 2 and a.flags.c_contiguous:
        return np.matmul(a.reshape(-1, a.shape[-1]), b).reshape(*a.shape[:-1], b.shape[-1])
    return np.matmul(_for_blas(a), _for_blas(b))


def _for_blas(x: Array) -> Array:
    """`x`, copied if neither of its last two axes is dense: BLAS takes one stride, not two."""
    dense = x.ndim < 2 or x.itemsize in x.strides[-2:]
    return x if dense else np.ascontiguousarray(x)


def _activate(x: Array, activation: str) -> Array:
    return eltwise.KERNELS.by_name[activation](x) if activation else x
