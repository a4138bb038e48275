"""Forward substitution as matmuls with the inverse of a triangular matrix, computed block by block."""

import math
from collections.abc import Collection, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from ttstack.dialects.base import definition, definition_of
from ttstack.dialects.ttir import views
from ttstack.dialects.ttir.build import constant
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.ttir.destination import pure_producer
from ttstack.dialects.types import read_type
from ttstack.mlir import ir
from ttstack.ops.base import Op
from ttstack.ops.indexing import SliceStatic
from ttstack.ops.matmul import Matmul
from ttstack.ops.shape import Permute, Reshape
from ttstack.ops.shapes import axis
from ttstack.ops.types import DType
from ttstack.passes.dataflow import Facts
from ttstack.passes.rewriting.candidates import Candidate, Declined
from ttstack.passes.rewriting.rewrite import Context, rewrite
from ttstack.passes.stages import Stage
from ttstack.passes.ttir.queries.compile_time import elements
from ttstack.passes.ttir.queries.producers import scalar

Array = np.ndarray[Any, Any]

_ARITHMETIC = {"multiply", "add", "subtract", "neg", "sum", "matmul"}
_POLYNOMIAL = _ARITHMETIC | {"slice_static", "concat", "reshape", "squeeze", "unsqueeze", "permute"}
"""Ops whose results are polynomials of the elements of their operands."""
_PRIME = 32749
_LEAST_ROWS = 4
_MOST_ROWS = 256
_MOST_ELEMENTS = 1 << 20
"""Values with more elements of one matrix are not evaluated."""


@rewrite("triangular-solve-to-matmul", if_faster=True, stage=Stage.FORMS)
def triangular_solve_to_matmul(op: views.Concat, context: Context) -> Candidate | Declined | None:
    """`inverse(I - a) - I` or `inverse(I - a) @ b`, `a` strictly lower triangular, as XLA's `TriangularSolveExpander`.

    The inverses `d` of all blocks of `m` rows on the diagonal give those of `2 m` rows: `d + d @ o @ d`, where `o` are
    the elements of `a` between two blocks. 64 rows take ten matmuls, instead of 756 ops row by row.

    A program is recognized by its values: its result must be a polynomial of the elements of `a` and `b` that is equal
    for random integers modulo a prime. A result in f32 is unchanged, as the multiplier would truncate it. A non-finite
    element makes other elements of its matrix NaN.
    """
    concat = op.described
    t = concat.results[0]
    *_, last = concat.operands
    dim = axis(concat.dim, t.rank)
    if t.rank <= 1 or not _LEAST_ROWS <= t.shape[-2] <= _MOST_ROWS:
        return None
    if dim != t.rank - 2 or last.shape[dim] != 1 or not isinstance(t.dtype, DType):
        return None
    value = op.operation.results[0]
    if (solve := _solve_of(value, _sources(value))) is None:
        return None
    sign = _sign_of(value, solve)
    if sign is None:
        return Declined("the rows are not those of an inverse or of a solution")
    assert context.prices is not None
    if context.prices.format_of(t) is DType.F32:
        return Declined("a matmul would truncate the rows, which are stored in f32")
    return partial(_build, solve, sign)


class _Solve(NamedTuple):
    """A strictly lower triangular matrix and the right side, None for the inverse minus the identity."""

    matrix: ir.Value
    right: ir.Value | None


def _solve_of(value: ir.Value, sources: Collection[ir.Value]) -> _Solve | None:
    """Return the solve that a polynomial of these sources may be."""
    t = read_type(value.type)
    square = t.with_shape((*t.shape[:-1], t.shape[-2]))
    matrix = next((s for s in sources if read_type(s.type) == square and _is_strictly_lower(s)), None)
    if matrix is None:
        return None
    match [s for s in sources if s != matrix]:
        case [] if square == t:
            return _Solve(matrix, None)
        case [right] if read_type(right.type) == t:
            return _Solve(matrix, right)
    return None


def _is_polynomial(op: ir.Operation) -> bool:
    spec = definition(op)
    return spec is not None and spec.mnemonic in _POLYNOMIAL and pure_producer(op.results[0]) is not None


def _sources(value: ir.Value) -> frozenset[ir.Value]:
    """Return the values that a value is an elementwise polynomial of."""

    def transfer(
        value: ir.Value, op: ir.Operation | None, operands: Sequence[frozenset[ir.Value] | None]
    ) -> frozenset[ir.Value]:
        return frozenset([value]) if op is None else frozenset[ir.Value]().union(*filter(None, operands))

    return Facts(_is_polynomial, transfer).about(value) or frozenset()


def _is_strictly_lower(value: ir.Value) -> bool:
    """Return True if a constant condition sets all elements on and above the diagonal to zero."""
    while (negation := views.Neg.of(value)) is not None:
        value = negation.input
    if (choice := views.Where.of(value)) is None or (chosen := elements(_MOST_ELEMENTS).about(choice.first)) is None:
        return False
    rows, columns = read_type(value.type).shape[-2:]
    upper = np.triu(np.ones((rows, columns), bool))
    chosen = np.broadcast_to(chosen.astype(bool), (*chosen.shape[:-2], rows, columns))
    kept_zero = scalar(choice.third) == 0 and not (chosen & upper).any()
    return kept_zero or (scalar(choice.second) == 0 and bool((chosen | ~upper).all()))


def _sign_of(value: ir.Value, solve: _Solve) -> int | None:
    """Return the sign of `matrix` for which a value is the solution; None if it is for neither."""
    t = read_type(value.type)
    lead, (rows, columns) = t.shape[:-2], t.shape[-2:]
    draw = np.random.default_rng(0)
    matrix = np.tril(draw.integers(0, _PRIME, (*(1 for _ in lead), rows, rows)), -1)
    right = draw.integers(0, _PRIME, (*(1 for _ in lead), rows, columns))

    def transfer(value: ir.Value, op: ir.Operation | None, operands: Sequence[Array | None]) -> Array | None:
        if op is None:
            return matrix if value == solve.matrix else right
        return _evaluate(op, operands, lead)

    result = Facts(_is_polynomial, transfer).about(value)
    if result is None or result.shape != right.shape:
        return None
    for sign in (1, -1):
        known = sign * matrix if solve.right is None else right
        if not ((result - known - sign * matrix @ result) % _PRIME).any():
            return sign
    return None


def _evaluate(op: ir.Operation, operands: Sequence[Array | None], lead: tuple[int, ...]) -> Array | None:
    """Evaluate an op on one matrix of a batch, modulo the prime; None if it mixes matrices."""
    from ttstack_runtime import kernels  # takes 4 MiB: many models compute nothing

    described = definition_of(op)
    kernel, shape = kernels.find(described.mnemonic), described.results[0].shape
    matrix = (*(1 for _ in lead), *shape[len(lead) :])
    if kernel is None or any(x is None for x in operands) or shape[: len(lead)] != lead:
        return None
    if math.prod(matrix) > _MOST_ELEMENTS or not _keeps_batch(described, len(lead)):
        return None
    attributes = described.attributes()
    if isinstance(described, Reshape):
        attributes["shape"] = matrix
    result: Array = kernel(*operands, **attributes) % _PRIME
    return result if result.shape == matrix else None


def _keeps_batch(op: Op, rank: int) -> bool:
    """Return True if an op whose result has the same leading dimensions does not reorder these."""
    if isinstance(op, Permute):
        return op.permutation[:rank] == tuple(range(rank))
    if isinstance(op, SliceStatic):
        return set(op.step[:rank]) <= {1}
    return not (isinstance(op, Matmul) and op.activation)


def _build(solve: _Solve, sign: int) -> ir.Value:
    """Build the solution for `I - sign * matrix` from inverses of blocks of 1, 2, 4, ... rows on the diagonal."""
    t = read_type(solve.matrix.type)
    rows = t.shape[-1]
    square = t.with_shape((rows, rows))
    place = np.arange(rows)
    identity = constant(np.eye(rows), square)
    inverse = identity
    for size in (1 << k for k in range(math.ceil(math.log2(rows)))):
        first, second = place // size, place // (2 * size)
        between = (second[:, None] == second) & (first[:, None] > first)
        blocks = ttir.multiply(solve.matrix, constant(sign * between, square))
        step = blocks if size == 1 else ttir.matmul(ttir.matmul(inverse, blocks), inverse)
        inverse = ttir.add(inverse, step)
    return ttir.subtract(inverse, identity) if solve.right is None else ttir.matmul(inverse, solve.right)
