"""Forward substitution, row by row, as matmuls that invert a triangular matrix block by block."""

import math
from collections.abc import Sequence
from functools import partial
from typing import Any

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
    """`inverse(I - a) - I` of a strictly lower triangular `a`, in blocks as XLA's `TriangularSolveExpander`.

    The inverses `d` of all blocks of `m` rows on the diagonal give those of `2 m` rows: `d + d @ o @ d`, where `o` are
    the elements of `a` between two blocks. 64 rows take ten matmuls; row by row, they are 756 ops.

    A program computes the inverse, in whatever spelling, if its result is a polynomial of the elements of `a` that is
    equal for random integers modulo a prime. A result in f32 stays, as the multiplier would truncate it. An element
    that is not finite makes other elements of its matrix NaN.
    """
    concat = op.described
    t = concat.results[0]
    *_, last = concat.operands
    dim = axis(concat.dim, t.rank)
    is_square = t.rank > 1 and t.shape[-1] == t.shape[-2] and _LEAST_ROWS <= t.shape[-1] <= _MOST_ROWS
    if not is_square or dim != t.rank - 2 or last.shape[dim] != 1 or not isinstance(t.dtype, DType):
        return None
    source = _only_source(op.operation.results[0])
    if source is None or read_type(source.type) != t or not _is_strictly_lower(source):
        return None
    sign = _sign_of_inverse(op.operation.results[0], source)
    if sign is None:
        return Declined("the rows are not those of an inverse")
    assert context.prices is not None
    if context.prices.format_of(t) is DType.F32:
        return Declined("a matmul would truncate the rows, which are stored in f32")
    return partial(_invert, source, sign)


def _is_polynomial(op: ir.Operation) -> bool:
    spec = definition(op)
    return spec is not None and spec.mnemonic in _POLYNOMIAL and pure_producer(op.results[0]) is not None


def _only_source(value: ir.Value) -> ir.Value | None:
    """Return the value of whose elements alone a value is a polynomial; None if there are several."""

    def transfer(value: ir.Value, op: ir.Operation | None, operands: Sequence[ir.Value | None]) -> ir.Value | None:
        if op is None:
            return value
        return operands[0] if len({*operands}) == 1 else None

    return Facts(_is_polynomial, transfer).about(value)


def _is_strictly_lower(value: ir.Value) -> bool:
    """Return True if a constant condition makes all elements on and above the diagonal zeros."""
    while (negation := views.Neg.of(value)) is not None:
        value = negation.input
    if (choice := views.Where.of(value)) is None or (chosen := elements(_MOST_ELEMENTS).about(choice.first)) is None:
        return False
    rows, columns = read_type(value.type).shape[-2:]
    upper = np.triu(np.ones((rows, columns), bool))
    chosen = np.broadcast_to(chosen.astype(bool), (*chosen.shape[:-2], rows, columns))
    kept_zero = scalar(choice.third) == 0 and not (chosen & upper).any()
    return kept_zero or (scalar(choice.second) == 0 and bool((chosen | ~upper).all()))


def _sign_of_inverse(value: ir.Value, source: ir.Value) -> int | None:
    """Return the sign for which a value is `inverse(I - sign * source) - I` of one matrix; None if neither is."""
    lead = read_type(source.type).shape[:-2]
    rows = read_type(source.type).shape[-1]
    draw = np.random.default_rng(0).integers(0, _PRIME, (*(1 for _ in lead), rows, rows))
    matrix = np.tril(draw, -1)

    def transfer(_: ir.Value, op: ir.Operation | None, operands: Sequence[Array | None]) -> Array | None:
        return matrix if op is None else _evaluate(op, operands, lead)

    result = Facts(_is_polynomial, transfer).about(value)
    if result is None or result.shape != matrix.shape:
        return None
    for sign in (1, -1):
        if not ((result - sign * (matrix + result @ matrix)) % _PRIME).any():
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


def _invert(a: ir.Value, sign: int) -> ir.Value:
    """Build `inverse(I - sign * a) - I` from blocks of 1, 2, 4, ... rows on the diagonal."""
    t = read_type(a.type)
    rows = t.shape[-1]
    square = t.with_shape((rows, rows))
    place = np.arange(rows)
    identity = constant(np.eye(rows), square)
    inverse = identity
    for size in (1 << k for k in range(math.ceil(math.log2(rows)))):
        first, second = place // size, place // (2 * size)
        between = (second[:, None] == second) & (first[:, None] > first)
        blocks = ttir.multiply(a, constant(sign * between, square))
        step = blocks if size == 1 else ttir.matmul(ttir.matmul(inverse, blocks), inverse)
        inverse = ttir.add(inverse, step)
    return ttir.subtract(inverse, identity)
